-- confirmation: 'pending' while a person was asked by mail and has not answered, then 'confirmed'.
ALTER TABLE contacts ADD COLUMN confirmation TEXT;
ALTER TABLE contacts ADD COLUMN confirmed_at INTEGER;
-- waits: how long the newest confirmations took, a list of milliseconds.
CREATE TABLE forms (team_id TEXT NOT NULL, id TEXT NOT NULL, book_id TEXT NOT NULL, name TEXT NOT NULL, topic_ids TEXT NOT NULL DEFAULT '[]', fields TEXT NOT NULL, wording TEXT NOT NULL, confirm INTEGER NOT NULL DEFAULT 1, confirmation TEXT, done_url TEXT, confirmed_url TEXT, origins TEXT NOT NULL DEFAULT '[]', turnstile_secret TEXT, enabled INTEGER NOT NULL DEFAULT 1, asked INTEGER NOT NULL DEFAULT 0, confirmed INTEGER NOT NULL DEFAULT 0, waits TEXT NOT NULL DEFAULT '[]', created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (team_id, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX forms_id ON forms (id);
CREATE INDEX forms_sealed ON forms (team_id, id) WHERE turnstile_secret IS NOT NULL;
CREATE TRIGGER forms_limit BEFORE INSERT ON forms WHEN (SELECT count(*) FROM (SELECT 1 FROM forms WHERE team_id = NEW.team_id LIMIT 100)) >= 100 BEGIN SELECT raise(abort, 'at most 100 forms'); END;
-- The times when contacts were asked. submitted: what the person wrote, stored with the contact once it is confirmed.
CREATE TABLE confirmations (team_id TEXT NOT NULL, book_id TEXT NOT NULL, contact_id TEXT NOT NULL, id TEXT NOT NULL, form_id TEXT, wording TEXT, topic_ids TEXT NOT NULL DEFAULT '[]', submitted TEXT NOT NULL DEFAULT '{}', network TEXT, asked_at INTEGER NOT NULL, mail_due_at INTEGER, expires_at INTEGER, confirmed_at INTEGER, confirmed_network TEXT, PRIMARY KEY (team_id, book_id, contact_id, id)) WITHOUT ROWID;
CREATE INDEX confirmations_mail_due ON confirmations (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX confirmations_expires ON confirmations (expires_at) WHERE expires_at IS NOT NULL;
-- In the directory: the confirmations that an address was sent lately, by its erased form.
CREATE TABLE confirmation_mails (address_hash TEXT NOT NULL, confirmation_id TEXT NOT NULL, sent_at INTEGER NOT NULL, PRIMARY KEY (address_hash, confirmation_id)) WITHOUT ROWID;
CREATE INDEX confirmation_mails_sent ON confirmation_mails (sent_at);
