ALTER TABLE users ADD COLUMN two_factor_enabled INTEGER NOT NULL DEFAULT 0;

-- How the session was proven beside a password: 'passkey' or 'code'.
ALTER TABLE sessions ADD COLUMN second_factor TEXT;

ALTER TABLE teams ADD COLUMN require_second_factor INTEGER NOT NULL DEFAULT 0;

-- The sign-in library encrypts secret and recovery codes with the first of ENCRYPTION_KEYS.
CREATE TABLE second_factors (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  verified INTEGER NOT NULL DEFAULT 0,
  failed_verification_count INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX second_factors_user ON second_factors (user_id);

-- At most one row: how far the second factors are encrypted with the first key.
CREATE TABLE factor_rotations (
  id INTEGER PRIMARY KEY NOT NULL,
  requested_at INTEGER NOT NULL,
  second_factor_id TEXT NOT NULL DEFAULT ''
);
