-- The deliveries of a webhook that ended in an hour. "hour" is its start.
CREATE TABLE webhook_hours (
  team_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  webhook_id TEXT NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (team_id, hour, webhook_id)
) WITHOUT ROWID;
