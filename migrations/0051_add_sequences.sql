-- started_by: the trigger. look_at: when the sweep looks at the sequence itself. wake: which runs go on.
CREATE TABLE sequences (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  book_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  reply_to TEXT,
  topic_id TEXT,
  started_by TEXT NOT NULL,
  steps TEXT NOT NULL,
  entry TEXT NOT NULL,
  goal TEXT,
  ends_on_reply INTEGER NOT NULL,
  send_window TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  entered INTEGER NOT NULL DEFAULT 0,
  finished INTEGER NOT NULL DEFAULT 0,
  ended INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  look_at INTEGER,
  wake TEXT,
  segment_cursor TEXT,
  segment_since INTEGER,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE INDEX sequences_active ON sequences (team_id, book_id) WHERE status = 'active';
CREATE INDEX sequences_look ON sequences (look_at) WHERE look_at IS NOT NULL;

-- The steps of each version that runs may stand in.
CREATE TABLE sequence_versions (
  team_id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  steps TEXT NOT NULL,
  PRIMARY KEY (team_id, sequence_id, version)
) WITHOUT ROWID;

-- The frozen body of a step that sends. required: the fields that a contact must have for it.
CREATE TABLE sequence_bodies (
  team_id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  step_key TEXT NOT NULL,
  body TEXT,
  object_key TEXT,
  required TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (team_id, sequence_id, version, step_key)
) WITHOUT ROWID;

CREATE TABLE sequence_steps (
  team_id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  step_key TEXT NOT NULL,
  entered INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  clicked INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  complained INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  unsubscribed INTEGER NOT NULL DEFAULT 0,
  ended INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, sequence_id, step_key)
) WITHOUT ROWID;

-- since: when the run came to its step. visit: how often it was moved. waits_for: an event.
CREATE TABLE sequence_runs (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  step_key TEXT,
  since INTEGER NOT NULL,
  visit INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL,
  ended_by TEXT,
  held_reason TEXT,
  due_at INTEGER,
  waits_for TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  history TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE INDEX sequence_runs_sequence ON sequence_runs (team_id, sequence_id, id);
CREATE INDEX sequence_runs_contact ON sequence_runs (team_id, contact_id, sequence_id);
CREATE INDEX sequence_runs_due ON sequence_runs (team_id, due_at) WHERE due_at IS NOT NULL;

-- Who matched the segment of a sequence when it was looked at last.
CREATE TABLE sequence_members (
  team_id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (team_id, sequence_id, contact_id)
) WITHOUT ROWID;

-- The run and the step that an email of a sequence belongs to. Its campaign_id is the sequence.
ALTER TABLE emails ADD COLUMN sequence_step TEXT;

CREATE TRIGGER sequence_runs_follow AFTER DELETE ON contacts BEGIN UPDATE sequence_runs SET due_at = 0 WHERE team_id = OLD.team_id AND contact_id = OLD.id AND state = 'waiting'; END;
