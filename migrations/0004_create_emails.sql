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
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

-- What the sweep looks for. Leaving it costs no row.
CREATE INDEX emails_due ON emails (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX emails_idempotency_key ON emails (team_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX emails_campaign ON emails (team_id, campaign_id, id) WHERE campaign_id IS NOT NULL;
-- Only the rare statuses: an email that is sent and delivered never enters.
CREATE INDEX emails_rare_status ON emails (team_id, status, id)
  WHERE status IN ('scheduled', 'bounced', 'complained', 'failed', 'cancelled');

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

-- body: base64 of gzipped JSON; null when object_key says where in R2 it is.
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
