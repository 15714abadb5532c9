CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  email_verified INTEGER NOT NULL DEFAULT 0,
  image TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- How a user signs in. The sign-in library needs the columns without a use here.
CREATE TABLE accounts (
  user_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  password TEXT,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at INTEGER,
  refresh_token_expires_at INTEGER,
  scope TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, provider_id)
) WITHOUT ROWID;

CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  name TEXT,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  transports TEXT,
  aaguid TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX passkeys_user ON passkeys (user_id);

CREATE TABLE verifications (
  id TEXT PRIMARY KEY NOT NULL,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX verifications_identifier ON verifications (identifier);

-- Links and codes are stored as hashes only.
CREATE TABLE password_resets (
  token_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Clustered on the token: every call of the dashboard looks a session up by it.
CREATE TABLE sessions (
  token TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);

-- Recent attempts, by address and by IP address.
CREATE TABLE sign_in_attempts (
  subject TEXT PRIMARY KEY NOT NULL,
  attempts INTEGER NOT NULL,
  since INTEGER NOT NULL
) WITHOUT ROWID;

-- Networks from which a user has signed in: an IPv4 address, or the /64 of an IPv6 address.
CREATE TABLE sign_in_addresses (
  user_id TEXT NOT NULL,
  network TEXT NOT NULL,
  signed_in_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, network)
) WITHOUT ROWID;
CREATE INDEX sign_in_addresses_old ON sign_in_addresses (signed_in_at);

CREATE TABLE members (
  user_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, team_id)
) WITHOUT ROWID;
CREATE INDEX members_team ON members (team_id, user_id);

-- The mailed link proves the address, the copied link does not.
CREATE TABLE invitations (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  invited_by TEXT,
  mailed_hash TEXT NOT NULL,
  copied_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX invitations_address ON invitations (email, team_id);
CREATE UNIQUE INDEX invitations_mailed ON invitations (mailed_hash);
CREATE UNIQUE INDEX invitations_copied ON invitations (copied_hash);

-- Only the newest code counts. The row goes once the installation is claimed.
CREATE TABLE claim_codes (
  id TEXT PRIMARY KEY NOT NULL,
  code_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
