-- Whether an email goes to its other recipients when one of them is suppressed.
ALTER TABLE emails ADD COLUMN skips_suppressed INTEGER NOT NULL DEFAULT 0;
