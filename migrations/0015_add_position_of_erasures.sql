-- How far an erasure has read a team's emails for those to others that name the address as reply-to.
ALTER TABLE erasures ADD COLUMN position TEXT NOT NULL DEFAULT '';
