CREATE TABLE stats_hours (
  team_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  hard INTEGER NOT NULL DEFAULT 0,
  soft INTEGER NOT NULL DEFAULT 0,
  complained INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  clicked INTEGER NOT NULL DEFAULT 0,
  delayed INTEGER NOT NULL DEFAULT 0,
  tags TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (team_id, hour, domain_id, template_id, campaign_id)
) WITHOUT ROWID;

CREATE TABLE link_clicks (
  team_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  url TEXT NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0,
  recipients INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, owner_id, url)
) WITHOUT ROWID;
