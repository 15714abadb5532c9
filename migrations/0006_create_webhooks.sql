-- Both secrets are sealed, and begin with the id of the key that sealed them. probe_at: null while the receiver
-- answers in time. dropped_at: deliveries up to this time are dropped.
CREATE TABLE webhooks (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  failing_since INTEGER,
  disabled_reason TEXT,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  probe_at INTEGER,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  format TEXT NOT NULL DEFAULT 'edgepost',
  dropped_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE INDEX webhooks_failing ON webhooks (failing_since)
  WHERE enabled = 1 AND failing_since IS NOT NULL;
CREATE INDEX webhooks_held ON webhooks (probe_at) WHERE probe_at IS NOT NULL;
CREATE INDEX webhooks_dropped ON webhooks (team_id, id) WHERE dropped_at > 0;

-- The last sequence that was given out.
CREATE TABLE event_sequences (
  team_id TEXT PRIMARY KEY NOT NULL,
  last INTEGER NOT NULL
) WITHOUT ROWID;

-- webhook_id: the only webhook that receives the event, whatever it subscribes to.
CREATE TABLE events (
  team_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  webhook_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, sequence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_id ON events (team_id, id);
CREATE INDEX events_contact ON events (team_id, data ->> '$.contact.email')
  WHERE substr(type, 1, 8) = 'contact.';

-- repeats: 1 for a replay and a backfill, which are made later than the other deliveries of their event.
CREATE TABLE deliveries (
  team_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending',
  attempts TEXT NOT NULL DEFAULT '[]',
  not_before INTEGER NOT NULL,
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  completed_at INTEGER,
  repeats INTEGER,
  PRIMARY KEY (team_id, webhook_id, id)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_repeats ON deliveries (webhook_id, sequence) WHERE repeats = 1;
CREATE INDEX deliveries_failed ON deliveries (team_id, webhook_id, id)
  WHERE state IN ('failed', 'exhausted');

-- Webhooks whose deliveries are still to be deleted.
CREATE TABLE deleted_webhooks (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- At most one row: how far the webhooks are sealed with the first key.
CREATE TABLE key_rotations (
  id INTEGER PRIMARY KEY NOT NULL,
  requested_at INTEGER NOT NULL,
  team_id TEXT NOT NULL DEFAULT '',
  webhook_id TEXT NOT NULL DEFAULT ''
);

-- Changes that a stream may not have published yet. The sweep publishes and deletes them.
CREATE TABLE stream_outbox (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  changes TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- Messages that a queue gave up on. The next sweep puts back those with replay_at.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  replay_at INTEGER,
  replayed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX dead_letters_replay ON dead_letters (replay_at) WHERE replay_at IS NOT NULL;
