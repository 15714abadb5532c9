-- The emails of a page of the book until all of them were tried: what the sweep looks for instead
-- of each. emails: a list of their ids.
CREATE TABLE campaign_pages (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  id TEXT NOT NULL,
  emails TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, campaign_id, id)
) WITHOUT ROWID;

CREATE INDEX campaign_pages_due ON campaign_pages (due_at);
