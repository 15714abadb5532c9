-- Webhooks that are deleted while deliveries of theirs are left.
CREATE TABLE deleted_webhooks (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
