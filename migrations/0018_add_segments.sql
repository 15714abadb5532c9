-- Saved filters over a book. A campaign keeps the filter as it is when the fan-out starts.
CREATE TABLE segments (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  book_id TEXT NOT NULL,
  name TEXT NOT NULL,
  filter TEXT NOT NULL,
  contact_count INTEGER,
  eligible_count INTEGER,
  counted_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  count_due_at INTEGER,
  count_cursor TEXT,
  found INTEGER NOT NULL DEFAULT 0,
  found_eligible INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, id)
) WITHOUT ROWID;

CREATE INDEX segments_book ON segments (team_id, book_id);
CREATE INDEX segments_count_due ON segments (count_due_at) WHERE count_due_at IS NOT NULL;

ALTER TABLE campaigns ADD COLUMN segment_id TEXT;
ALTER TABLE campaign_runs ADD COLUMN segment_filter TEXT;
