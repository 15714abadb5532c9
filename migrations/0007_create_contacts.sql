CREATE TABLE templates (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  body_html TEXT NOT NULL,
  body_text TEXT,
  variables_schema TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX templates_slug ON templates (team_id, slug);

-- snapshot: the template at this version, as JSON.
CREATE TABLE template_versions (
  team_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, template_id, version)
) WITHOUT ROWID;

CREATE TABLE contact_books (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  default_from TEXT,
  contact_count INTEGER NOT NULL DEFAULT 0,
  subscribed_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- first_key, last_key: the names in lower case, as search compares them; name_key: both as one.
CREATE TABLE contacts (
  team_id TEXT NOT NULL,
  book_id TEXT NOT NULL,
  id TEXT NOT NULL,
  email TEXT NOT NULL,
  first_name TEXT,
  last_name TEXT,
  first_key TEXT,
  last_key TEXT,
  name_key TEXT GENERATED ALWAYS AS (coalesce(first_key || ' ' || last_key, first_key, last_key)) VIRTUAL,
  last_name_key TEXT GENERATED ALWAYS AS (iif(first_key IS NULL, NULL, last_key)) VIRTUAL,
  properties TEXT NOT NULL DEFAULT '{}',
  subscribed INTEGER NOT NULL DEFAULT 1,
  unsubscribe_reason TEXT,
  unsubscribed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, book_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX contacts_email ON contacts (team_id, book_id, email);
CREATE INDEX contacts_subscribed ON contacts (team_id, book_id, subscribed, id);
CREATE INDEX contacts_name ON contacts (team_id, book_id, name_key, id) WHERE name_key IS NOT NULL;
CREATE INDEX contacts_last_name ON contacts (team_id, book_id, last_name_key, id)
  WHERE last_name_key IS NOT NULL;

-- Books whose contacts are still to be deleted.
CREATE TABLE deleted_books (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
