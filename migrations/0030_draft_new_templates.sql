-- Of a template that was never published: it has no row in templates yet. Null for all others.
ALTER TABLE template_drafts ADD COLUMN slug TEXT;

CREATE UNIQUE INDEX template_drafts_slug ON template_drafts (team_id, slug) WHERE slug IS NOT NULL;
