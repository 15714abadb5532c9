-- What calls of the Resend package declare and import.
CREATE TABLE contact_properties (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  fallback TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX contact_properties_key ON contact_properties (team_id, key);
CREATE TABLE contact_imports (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  counts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  completed_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
