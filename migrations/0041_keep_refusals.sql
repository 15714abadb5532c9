-- Deleted contacts that had unsubscribed: an import may not subscribe them again. address_hash: the erased form.
CREATE TABLE contact_refusals (
  team_id TEXT NOT NULL,
  book_id TEXT NOT NULL,
  address_hash TEXT NOT NULL,
  PRIMARY KEY (team_id, book_id, address_hash)
) WITHOUT ROWID;
