-- The attempts to hand an email over that did not succeed, with their times: the newest 100.
ALTER TABLE emails ADD COLUMN faults TEXT NOT NULL DEFAULT '[]';
