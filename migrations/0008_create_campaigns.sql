CREATE TABLE layouts (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  blocks TEXT NOT NULL,
  theme TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE TABLE campaigns (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  book_id TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  reply_to TEXT,
  subject TEXT NOT NULL,
  blocks TEXT NOT NULL,
  theme TEXT,
  merge_defaults TEXT,
  header_layout_id TEXT,
  footer_layout_id TEXT,
  brake INTEGER NOT NULL DEFAULT 0,
  scheduled_at INTEGER,
  sent_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  track_opens INTEGER,
  track_clicks INTEGER,
  deleted_at INTEGER,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE INDEX campaigns_status ON campaigns (team_id, status, id);
CREATE INDEX campaigns_deleted ON campaigns (deleted_at) WHERE deleted_at IS NOT NULL;

-- The progress of a campaign, apart from its blocks, since every batch of outcomes writes it. cursor: contacts below
-- it are still to be mailed; open: emails without an outcome; wave_*: the running wave.
CREATE TABLE campaign_runs (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  cursor TEXT,
  wave INTEGER NOT NULL DEFAULT 0,
  wave_ended_at INTEGER,
  paused_reason TEXT,
  open INTEGER NOT NULL DEFAULT 0,
  recipients INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  clicked INTEGER NOT NULL DEFAULT 0,
  unsubscribed INTEGER NOT NULL DEFAULT 0,
  bounced INTEGER NOT NULL DEFAULT 0,
  complained INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  completed_at INTEGER,
  due_at INTEGER,
  wave_from TEXT NOT NULL DEFAULT '~',
  wave_recipients INTEGER NOT NULL DEFAULT 0,
  wave_open INTEGER NOT NULL DEFAULT 0,
  wave_sent INTEGER NOT NULL DEFAULT 0,
  wave_bounced INTEGER NOT NULL DEFAULT 0,
  wave_complained INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, campaign_id)
) WITHOUT ROWID;
CREATE INDEX campaign_runs_due ON campaign_runs (due_at) WHERE due_at IS NOT NULL;

-- The body of a campaign, frozen when sending starts: body and object_key as in email_contents.
CREATE TABLE campaign_bodies (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  body TEXT,
  object_key TEXT,
  PRIMARY KEY (team_id, campaign_id)
) WITHOUT ROWID;

-- Emails of a campaign that no claim has taken yet. emails: a list of their ids.
CREATE TABLE campaign_batches (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  id TEXT NOT NULL,
  emails TEXT NOT NULL,
  PRIMARY KEY (team_id, campaign_id, id)
) WITHOUT ROWID;
