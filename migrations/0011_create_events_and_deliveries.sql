-- The last sequence that was given out. Events above it are new in the running batch.
CREATE TABLE event_sequences (
  team_id TEXT PRIMARY KEY NOT NULL,
  last INTEGER NOT NULL
) WITHOUT ROWID;

-- webhook_id: the only webhook that is told, whatever it subscribes to.
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
  PRIMARY KEY (team_id, webhook_id, id)
) WITHOUT ROWID;

-- What the sweep looks for. Leaving it costs no row.
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
