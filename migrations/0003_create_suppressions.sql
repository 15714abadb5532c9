CREATE TABLE suppressions (
  team_id TEXT NOT NULL,
  email TEXT NOT NULL,
  id TEXT NOT NULL,
  reason TEXT NOT NULL,
  note TEXT,
  source_email_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, email)
) WITHOUT ROWID;

CREATE UNIQUE INDEX suppressions_listed ON suppressions (team_id, id);
