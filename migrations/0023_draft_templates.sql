-- What the dashboard saves of a template before it is published. revision: another one with each save.
CREATE TABLE template_drafts (
  team_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  content TEXT NOT NULL,
  revision TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (team_id, template_id)
) WITHOUT ROWID;

-- The name of the person or key.
ALTER TABLE template_versions ADD COLUMN published_by TEXT;
