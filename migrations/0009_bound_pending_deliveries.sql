-- deliver_until: events above this number have no deliveries yet. position: where its room begins.
ALTER TABLE webhooks ADD COLUMN position INTEGER;
ALTER TABLE webhooks ADD COLUMN deliver_until INTEGER;
