-- The words of a captured message, for the search in the test inbox.
ALTER TABLE sandbox_messages ADD COLUMN words TEXT;
