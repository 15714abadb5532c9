-- What people call the webhook. Null: its URL.
ALTER TABLE webhooks ADD COLUMN name TEXT;
