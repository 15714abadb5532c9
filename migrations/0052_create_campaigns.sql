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
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE INDEX campaigns_status ON campaigns (team_id, status, id);

-- How far sending has come, apart from the blocks: it is written with every batch of outcomes.
-- cursor: contacts below it are still to be mailed; open: emails whose fate is not known yet.
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
  PRIMARY KEY (team_id, campaign_id)
) WITHOUT ROWID;

-- What the sweep looks for.
CREATE INDEX campaign_runs_due ON campaign_runs (due_at) WHERE due_at IS NOT NULL;

-- What a campaign says, frozen when sending starts: body and object_key as in email_contents.
CREATE TABLE campaign_bodies (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  body TEXT,
  object_key TEXT,
  PRIMARY KEY (team_id, campaign_id)
) WITHOUT ROWID;

-- The contact that a campaign's email is filled in from.
ALTER TABLE emails ADD COLUMN contact_id TEXT;
