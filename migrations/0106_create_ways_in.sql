-- Secrets of links and codes are stored as hashes only.
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

-- A passkey's challenge is found by its identifier.
CREATE INDEX verifications_identifier ON verifications (identifier);

CREATE INDEX sessions_user ON sessions (user_id);

CREATE INDEX members_team ON members (team_id, user_id);

CREATE TABLE password_resets (
  token_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The newest code counts; the row goes when the installation is claimed.
CREATE TABLE claim_codes (
  id TEXT PRIMARY KEY NOT NULL,
  code_hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

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

-- Teams whose data is still being deleted.
CREATE TABLE deleted_teams (
  id TEXT PRIMARY KEY NOT NULL,
  deleted_at INTEGER NOT NULL
) WITHOUT ROWID;
