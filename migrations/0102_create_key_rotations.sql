-- At most one row: somebody asked that what is sealed be sealed with the first key, and how far
-- that has come.
CREATE TABLE key_rotations (
  id INTEGER PRIMARY KEY NOT NULL,
  requested_at INTEGER NOT NULL,
  team_id TEXT NOT NULL DEFAULT '',
  webhook_id TEXT NOT NULL DEFAULT ''
);
