-- next: the identity at the next provider, with its records and state, as JSON.
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
  window_started_at INTEGER,
  check_at INTEGER,
  checking_until INTEGER,
  written_records TEXT NOT NULL DEFAULT '[]',
  next TEXT,
  next_provider TEXT,
  next_check_at INTEGER,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE INDEX domains_check_at ON domains (check_at) WHERE check_at IS NOT NULL;
CREATE UNIQUE INDEX domains_claimed ON domains (name, team_id)
  WHERE status IN ('pending', 'verified');
CREATE UNIQUE INDEX domains_verified ON domains (name) WHERE status = 'verified';
CREATE INDEX domains_next ON domains (next_provider, next_check_at) WHERE next_provider IS NOT NULL;
