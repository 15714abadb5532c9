-- held_campaign_batches: the batches of a paused campaign, out of the way of sending.
CREATE TABLE held_campaign_batches (
  team_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  id TEXT NOT NULL,
  emails TEXT NOT NULL,
  PRIMARY KEY (team_id, campaign_id, id)
) WITHOUT ROWID;
