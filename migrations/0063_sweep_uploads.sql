-- Up to which message the sweep has looked for uploads in the bucket whose process died before their row was there.
CREATE TABLE received_uploads (
  team_id TEXT NOT NULL PRIMARY KEY,
  checked_to TEXT NOT NULL
) WITHOUT ROWID;
