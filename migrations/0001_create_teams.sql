CREATE TABLE teams (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  track_opens INTEGER NOT NULL DEFAULT 0,
  track_clicks INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  postal_address TEXT
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

-- Without a second index: a change may cost one row more.
CREATE TABLE audit_log (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  action TEXT NOT NULL,
  object_id TEXT,
  label TEXT,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- Mail to the owners of a team, or of the installation if team_id is empty. due_at: null once it is sent.
CREATE TABLE notices (
  team_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  day TEXT NOT NULL,
  about TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  PRIMARY KEY (team_id, kind, day)
) WITHOUT ROWID;
CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;

-- Teams whose data is still being deleted.
CREATE TABLE deleted_teams (
  id TEXT PRIMARY KEY NOT NULL,
  deleted_at INTEGER NOT NULL
) WITHOUT ROWID;
