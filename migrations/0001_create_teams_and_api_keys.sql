CREATE TABLE teams (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  track_opens INTEGER NOT NULL DEFAULT 0,
  track_clicks INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Clustered on the hash: every call looks a key up by it.
CREATE TABLE api_keys (
  secret_hash TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  permission TEXT NOT NULL,
  key_prefix TEXT NOT NULL,
  domain_id TEXT,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_live ON api_keys (team_id, id) WHERE revoked_at IS NULL;
