-- For the search: the words of up to 1,000 emails of one day, from first_id to last_id. words: an object with a text for each id.
CREATE TABLE email_words (
  team_id TEXT NOT NULL,
  first_id TEXT NOT NULL,
  last_id TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (team_id, first_id)
) WITHOUT ROWID;
