-- The running wave of a campaign with a brake: the emails from wave_from on, and what became of them.
ALTER TABLE campaign_runs ADD COLUMN wave_from TEXT NOT NULL DEFAULT '~';
ALTER TABLE campaign_runs ADD COLUMN wave_recipients INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_open INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign_runs ADD COLUMN wave_complained INTEGER NOT NULL DEFAULT 0;
