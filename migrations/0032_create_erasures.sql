-- Addresses that are to be erased; a row goes when that is done.
CREATE TABLE erasures (
  team_id TEXT NOT NULL,
  email TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, email)
) WITHOUT ROWID;
