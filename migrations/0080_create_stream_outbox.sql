-- What the teams' streams are told: written with the change itself, and deleted by the minute's
-- sweep once the stream has told it. It takes the place of unpublished_changes.
CREATE TABLE stream_outbox (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  changes TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;
