-- Shown with the team's name in campaigns and on the unsubscribe page. Null: not given yet.
ALTER TABLE teams ADD COLUMN postal_address TEXT;
