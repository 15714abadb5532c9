-- Colors, font, logo and footer that new campaigns and layouts begin with.
ALTER TABLE teams ADD COLUMN brand TEXT;
