-- A deleted campaign whose emails are still on their way: it is hidden, and purged after them.
ALTER TABLE campaigns ADD COLUMN deleted_at INTEGER;
CREATE INDEX campaigns_deleted ON campaigns (deleted_at) WHERE deleted_at IS NOT NULL;
