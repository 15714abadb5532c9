-- What a queue gave up on. Setting replay_at makes the next sweep put it back.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  queue TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  replay_at INTEGER,
  replayed_at INTEGER
) WITHOUT ROWID;

CREATE INDEX dead_letters_replay ON dead_letters (replay_at) WHERE replay_at IS NOT NULL;
