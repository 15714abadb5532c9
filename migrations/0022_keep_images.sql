-- Images that people uploaded; their bytes are in R2. unused_since: since when nothing of the team names the image.
-- check_at: when this is looked up next. deleted_at: the object in R2 is deleted, or about to be.
CREATE TABLE images (
  team_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  id TEXT NOT NULL,
  object_key TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  unused_since INTEGER,
  deleted_at INTEGER,
  check_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, sha256)
) WITHOUT ROWID;
CREATE INDEX images_check ON images (check_at);
