-- A disabled webhook drops the deliveries that are pending then. The sweep fails them in rounds.
ALTER TABLE webhooks ADD COLUMN dropped_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX webhooks_dropped ON webhooks (team_id, id) WHERE dropped_at > 0;
