-- When the sweep tried the erasure last: the one that waited longest comes next.
ALTER TABLE erasures ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
