CREATE TABLE domains (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  provider TEXT NOT NULL,
  region TEXT,
  dns_mode TEXT NOT NULL DEFAULT 'manual',
  records TEXT NOT NULL DEFAULT '[]',
  last_error TEXT,
  created_at INTEGER NOT NULL,
  verified_at INTEGER,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- A name is taken while any team's row for it is pending or verified.
CREATE UNIQUE INDEX domains_taken ON domains (name) WHERE status IN ('pending', 'verified');
