-- Emails by the provider of the recipient's mailbox, and deliveries by the time that they took.
ALTER TABLE stats_hours ADD COLUMN mailboxes TEXT NOT NULL DEFAULT '{}';
ALTER TABLE stats_hours ADD COLUMN delivery_times TEXT NOT NULL DEFAULT '{}';
