ALTER TABLE domains ADD COLUMN window_started_at INTEGER;
ALTER TABLE domains ADD COLUMN check_at INTEGER;
ALTER TABLE domains ADD COLUMN checking_until INTEGER;
ALTER TABLE domains ADD COLUMN written_records TEXT NOT NULL DEFAULT '[]';

CREATE INDEX domains_check_at ON domains (check_at) WHERE check_at IS NOT NULL;
