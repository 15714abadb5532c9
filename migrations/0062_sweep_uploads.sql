-- Messages on their way into the bucket, by the id that they get. Without a row of received_emails after a day, their process has died.
CREATE TABLE received_uploads (
  id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL
) WITHOUT ROWID;
