-- The place of a content that was moved to R2.
ALTER TABLE emails ADD COLUMN pack TEXT;
ALTER TABLE emails ADD COLUMN pack_offset INTEGER;
ALTER TABLE emails ADD COLUMN pack_length INTEGER;

-- object_key: packs/<team>/<day>/<pack>. open_since: null once the emails have their places.
CREATE TABLE packs (
  team_id TEXT NOT NULL,
  object_key TEXT NOT NULL,
  open_since INTEGER,
  PRIMARY KEY (team_id, object_key)
) WITHOUT ROWID;
CREATE INDEX packs_open ON packs (open_since) WHERE open_since IS NOT NULL;
