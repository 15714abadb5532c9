-- Filters of the emails list that a team keeps under a name. name_key: the name in lower case.
CREATE TABLE saved_views (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  query TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
