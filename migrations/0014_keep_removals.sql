-- What was erased, revoked or removed, until the bucket keeps it.
CREATE TABLE removals (
  team_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, kind, subject, removed_at)
) WITHOUT ROWID;

-- The request of a restore. There is one row at most.
CREATE TABLE removal_repeats (
  id INTEGER PRIMARY KEY NOT NULL,
  requested_at INTEGER NOT NULL,
  restored_to INTEGER NOT NULL,
  position TEXT,
  keys INTEGER NOT NULL DEFAULT 0,
  members INTEGER NOT NULL DEFAULT 0,
  teams INTEGER NOT NULL DEFAULT 0,
  addresses INTEGER NOT NULL DEFAULT 0,
  finished_at INTEGER
);

-- Hashes of erased addresses that a restore may have brought back.
CREATE TABLE repeated_erasures (
  team_id TEXT NOT NULL,
  erased TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, erased)
) WITHOUT ROWID;
