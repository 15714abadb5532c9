-- Until when a provider's rate is given out: to everybody, and to transactional mail, which does
-- not stand behind campaigns.
CREATE TABLE provider_turns (
  provider TEXT NOT NULL PRIMARY KEY,
  next_turn REAL NOT NULL,
  next_transactional REAL NOT NULL
) WITHOUT ROWID;
