-- Null: as the team's setting says.
ALTER TABLE campaigns ADD COLUMN track_opens INTEGER;
ALTER TABLE campaigns ADD COLUMN track_clicks INTEGER;
