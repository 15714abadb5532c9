CREATE TABLE topics (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  default_choice TEXT NOT NULL DEFAULT 'subscribed',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- Topics whose choices are still to be deleted. cleared_to: the last address that has none any more.
CREATE TABLE deleted_topics (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  cleared_to TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- topics: the contact's choices, true or false by the topic's id.
-- consents: the history of its consent, oldest first.
ALTER TABLE contacts ADD COLUMN topics TEXT NOT NULL DEFAULT '{}';
ALTER TABLE contacts ADD COLUMN consents TEXT NOT NULL DEFAULT '[]';
CREATE INDEX contacts_topics ON contacts (team_id, email) WHERE topics <> '{}';

ALTER TABLE campaigns ADD COLUMN topic_id TEXT;
