-- The running wave of a campaign with a brake: the emails from wave_from on, and what became of them.
ALTER TABLE campaign_runs ADD COLUMN wave_from TEXT NOT NULL DEFAULT '~';
ALTER TABLE campaign_runs ADD COLUMN wave_recipients INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_open INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_complained INTEGER NOT NULL DEFAULT 0;

-- The waves that run: the whole campaign so far stands for them.
UPDATE campaign_runs SET wave_from = '', wave_recipients = recipients, wave_open = open,
  wave_sent = sent, wave_bounced = bounced, wave_complained = complained
WHERE paused_reason IS NULL AND wave < 2 AND EXISTS (
  SELECT 1 FROM campaigns k WHERE k.team_id = campaign_runs.team_id
    AND k.id = campaign_runs.campaign_id AND k.status = 'sending' AND k.brake = 1
);
