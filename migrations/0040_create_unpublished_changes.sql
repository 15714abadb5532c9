-- What a team's stream could not be told at the time: the next minute tells it.
CREATE TABLE unpublished_changes (
  id INTEGER PRIMARY KEY NOT NULL,
  team_id TEXT NOT NULL,
  changes TEXT NOT NULL
);
