-- secret: sealed; the id of the key that sealed it stands in front.
CREATE TABLE webhooks (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  failing_since INTEGER,
  disabled_reason TEXT,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE enabled = 1 AND failing_since IS NOT NULL;
