-- Of a day's counts, those of campaigns' mail, which may have a provider of its own.
ALTER TABLE stats_days ADD COLUMN bulk TEXT NOT NULL DEFAULT '{}';
