-- Until when a provider's rate is given out: the messages of all consumers take turns.
CREATE TABLE provider_turns (
  provider TEXT NOT NULL PRIMARY KEY,
  next_turn REAL NOT NULL
) WITHOUT ROWID;
