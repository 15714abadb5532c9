-- The rate limit of a provider: its next free slots, the running claim, and who was served last.
CREATE TABLE provider_slots (
  provider TEXT PRIMARY KEY NOT NULL,
  next_slot REAL NOT NULL,
  next_transactional_slot REAL NOT NULL,
  claimed_by TEXT,
  chosen TEXT,
  last_team TEXT NOT NULL DEFAULT '',
  last_bulk_team TEXT NOT NULL DEFAULT '',
  last_batch TEXT
) WITHOUT ROWID;

-- A row is there while a provider takes no mail. One email at a time tries it: the probe.
CREATE TABLE provider_pauses (
  provider TEXT PRIMARY KEY NOT NULL,
  since INTEGER NOT NULL,
  reason TEXT NOT NULL,
  probe_at INTEGER NOT NULL,
  probed_by TEXT
) WITHOUT ROWID;

-- The test inbox: body and object_key as in email_contents.
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
CREATE INDEX sandbox_messages_outcomes_due ON sandbox_messages (outcomes_due_at)
  WHERE outcomes_due_at IS NOT NULL;
