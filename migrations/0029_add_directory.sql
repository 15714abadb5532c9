-- The directory, which is the first database, has these rows for the teams of the other databases.
-- A team without a row is in the first database.
CREATE TABLE team_databases (
  team_id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  require_second_factor INTEGER NOT NULL DEFAULT 0,
  database INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The hash of a key names its database. These rows find the keys of a team that has moved.
CREATE TABLE key_teams (
  secret_hash TEXT PRIMARY KEY NOT NULL,
  team_id TEXT NOT NULL
) WITHOUT ROWID;

-- Pending and verified names: one team of the whole installation verifies a name.
CREATE TABLE domain_claims (
  name TEXT NOT NULL,
  team_id TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  database INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (name, team_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX domain_claims_verified ON domain_claims (name) WHERE status = 'verified';
