-- How far the purges have looked through a team's emails. Waiting emails are not read again each minute.
CREATE TABLE purge_positions (
  team_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  position TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (team_id, kind)
) WITHOUT ROWID;
