-- Whether mail to a domain is taken: its mode, its state, and the records that it needs.
ALTER TABLE domains ADD COLUMN receiving TEXT NOT NULL DEFAULT '{"mode":"off","status":"off","records":[],"lastError":null}';
-- Addresses that take mail; *@domain takes what no other one does. purge_at: when to look for old mail next. purged_to: old mail up to this id is deleted. deleted_at: its mail is being deleted.
CREATE TABLE inboxes (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  address TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  name TEXT,
  retention_days INTEGER NOT NULL,
  purge_at INTEGER NOT NULL,
  purged_to TEXT NOT NULL DEFAULT '',
  deleted_at INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX inboxes_address ON inboxes (address, team_id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_id ON inboxes (id);
CREATE INDEX inboxes_purge_at ON inboxes (purge_at);
-- parsed: null until a consumer has worked the message off. body: the decoded texts and headers, the last column, since lists leave it out.
CREATE TABLE received_emails (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  inbox_id TEXT NOT NULL,
  thread_id TEXT,
  kind TEXT NOT NULL,
  sender TEXT NOT NULL,
  envelope_from TEXT NOT NULL,
  envelope_to TEXT NOT NULL,
  subject TEXT NOT NULL DEFAULT '',
  message_id TEXT,
  details TEXT NOT NULL DEFAULT '{}',
  answers_email_id TEXT,
  parsed INTEGER,
  read INTEGER NOT NULL DEFAULT 0,
  size INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  object_key TEXT,
  body TEXT,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE INDEX received_emails_waiting ON received_emails (id) WHERE parsed IS NULL;
CREATE INDEX received_emails_message_id ON received_emails (team_id, message_id) WHERE message_id IS NOT NULL;
-- What was taken, so that a repeat is not taken again. digest: of the recipient and the message.
CREATE TABLE received_digests (
  team_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  digest TEXT NOT NULL,
  received_id TEXT NOT NULL,
  PRIMARY KEY (team_id, day, digest)
) WITHOUT ROWID;
-- position: the newest message's id without its prefix. messages: the ids of the newest 1,000.
CREATE TABLE threads (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  inbox_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  participants TEXT NOT NULL,
  messages TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  state TEXT NOT NULL,
  position TEXT NOT NULL,
  last_message_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX threads_position ON threads (team_id, position, id);
-- The threads that emails were sent in.
CREATE TABLE thread_emails (
  team_id TEXT NOT NULL,
  email_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  PRIMARY KEY (team_id, email_id)
) WITHOUT ROWID;
ALTER TABLE campaign_runs ADD COLUMN replied INTEGER NOT NULL DEFAULT 0;
-- How far an erasure has read the received mail of its team.
ALTER TABLE erasures ADD COLUMN received_position TEXT NOT NULL DEFAULT '';
