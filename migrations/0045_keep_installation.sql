-- In the directory: the version and the number of its databases, and the URL at which the installation was claimed.
CREATE TABLE installation (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) WITHOUT ROWID;
