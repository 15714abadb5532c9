-- Who changed what. No other index: a change may cost one row more.
CREATE TABLE audit_log (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  action TEXT NOT NULL,
  object_id TEXT,
  label TEXT,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
