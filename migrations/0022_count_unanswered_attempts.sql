-- Attempts whose answer is still out: more than one when a message is sent again without any.
ALTER TABLE emails ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
