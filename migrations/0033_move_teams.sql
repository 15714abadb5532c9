-- In the directory: teams that are moved to another database, until the source has been deleted. position: how far the
-- phase has come. moved: rows that were copied. then_to: where the team goes next, once the source is deleted.
CREATE TABLE team_moves (
  team_id TEXT PRIMARY KEY NOT NULL,
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  phase TEXT NOT NULL,
  position TEXT,
  moved INTEGER NOT NULL DEFAULT 0,
  requested_at INTEGER NOT NULL,
  fenced_at INTEGER,
  opened_at INTEGER,
  delete_at INTEGER,
  then_to INTEGER,
  last_error TEXT,
  held_by TEXT,
  held_until INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- In the source and the target of a move: what triggers do with writes of the team. held_by: who moves it.
CREATE TABLE team_fences (
  team_id TEXT PRIMARY KEY NOT NULL,
  mode TEXT NOT NULL,
  held_by TEXT
) WITHOUT ROWID;

-- In the source: the keys of rows that changed since they were copied.
CREATE TABLE moved_rows (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  team_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  row_key TEXT NOT NULL
);
