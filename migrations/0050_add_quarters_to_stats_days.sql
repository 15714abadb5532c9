-- Quarter of an hour within the day, to its [sent, bounced, complained]: the last 24 hours are
-- parts of two rows.
ALTER TABLE stats_days ADD COLUMN quarters TEXT NOT NULL DEFAULT '{}';
