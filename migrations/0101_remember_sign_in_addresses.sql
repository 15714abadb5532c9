-- From where a user has signed in of late: an IP address, or the /64 of one.
CREATE TABLE sign_in_addresses (
  user_id TEXT NOT NULL,
  network TEXT NOT NULL,
  signed_in_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, network)
) WITHOUT ROWID;

CREATE INDEX sign_in_addresses_old ON sign_in_addresses (signed_in_at);
