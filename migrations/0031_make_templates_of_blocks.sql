-- The blocks that body_html and body_text were rendered from. Null for a template of HTML.
ALTER TABLE templates ADD COLUMN design TEXT;
