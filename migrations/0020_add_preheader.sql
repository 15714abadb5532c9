-- preheader: the words beside the subject in a list of mail. Null: the start of the first text.
ALTER TABLE campaigns ADD COLUMN preheader TEXT;
