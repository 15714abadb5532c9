-- probe_at: null while the receiver answers in time. Otherwise its deliveries are tried one at a
-- time, the next one not before this time.
ALTER TABLE webhooks ADD COLUMN probe_at INTEGER;

CREATE INDEX webhooks_held ON webhooks (probe_at) WHERE probe_at IS NOT NULL;

-- By webhook, so that the sweep can take the webhooks in turn.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
