CREATE TABLE sandbox_messages (
  team_id TEXT NOT NULL,
  email_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,
  body TEXT,
  object_key TEXT,
  created_at INTEGER NOT NULL,
  outcomes_due_at INTEGER,
  PRIMARY KEY (team_id, email_id)
) WITHOUT ROWID;

CREATE INDEX sandbox_messages_outcomes_due ON sandbox_messages (outcomes_due_at) WHERE outcomes_due_at IS NOT NULL;
