-- key_id: the key that sent it. subject_words: the words of a subject with letters beyond ASCII, in lower case.
ALTER TABLE emails ADD COLUMN key_id TEXT;
ALTER TABLE emails ADD COLUMN subject_words TEXT;
