CREATE TABLE emails (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipients TEXT NOT NULL,
  reply_to TEXT NOT NULL DEFAULT '[]',
  subject TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '{}',
  domain_id TEXT NOT NULL,
  campaign_id TEXT,
  template_id TEXT,
  track_opens INTEGER,
  track_clicks INTEGER,
  override_suppression INTEGER NOT NULL DEFAULT 0,
  idempotency_key TEXT,
  fingerprint TEXT,
  scheduled_at INTEGER,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  provider_message_id TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  event_types INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL,
  due_at INTEGER,
  unanswered INTEGER NOT NULL DEFAULT 0,
  contact_id TEXT,
  claimed_by TEXT,
  priority INTEGER GENERATED ALWAYS AS (iif(status = 'scheduled', 2, campaign_id IS NOT NULL)) VIRTUAL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX emails_idempotency_key ON emails (team_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX emails_campaign ON emails (team_id, campaign_id, id) WHERE campaign_id IS NOT NULL;
CREATE INDEX emails_rare_status ON emails (team_id, status, id)
  WHERE status IN ('scheduled', 'bounced', 'complained', 'failed', 'cancelled');
CREATE INDEX emails_cloudflare_message ON emails (provider_message_id)
  WHERE substr(provider_message_id, 1, 3) = 'cf:';
CREATE INDEX emails_open ON emails (priority, team_id, not_before) WHERE due_at IS NOT NULL;

CREATE TABLE email_recipients (
  team_id TEXT NOT NULL,
  address TEXT NOT NULL,
  email_id TEXT NOT NULL,
  PRIMARY KEY (team_id, address, email_id)
) WITHOUT ROWID;

-- Two rows a tag: `key` and `key:value`.
CREATE TABLE email_tags (
  team_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  email_id TEXT NOT NULL,
  PRIMARY KEY (team_id, tag, email_id)
) WITHOUT ROWID;

-- body: base64 of gzipped JSON, or null if object_key names an object in R2.
CREATE TABLE email_contents (
  team_id TEXT NOT NULL,
  email_id TEXT NOT NULL,
  body TEXT,
  object_key TEXT,
  PRIMARY KEY (team_id, email_id)
) WITHOUT ROWID;

CREATE TABLE email_events (
  team_id TEXT NOT NULL,
  email_id TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  data TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (team_id, email_id, id)
) WITHOUT ROWID;

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

-- Each column counts emails, not events: an email with two deliveries counts once. quarters: by quarter of an
-- hour within the day, its [sent, bounced, complained].
CREATE TABLE stats_days (
  team_id TEXT NOT NULL,
  day TEXT NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  complained INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  clicked INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  quarters TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (team_id, day)
) WITHOUT ROWID;

-- Addresses that are still to be erased. The one that was tried longest ago is next.
CREATE TABLE erasures (
  team_id TEXT NOT NULL,
  email TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  tried_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, email)
) WITHOUT ROWID;

-- How far the purges have read a team's emails: waiting emails are not read again each minute.
CREATE TABLE purge_positions (
  team_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  position TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (team_id, kind)
) WITHOUT ROWID;
