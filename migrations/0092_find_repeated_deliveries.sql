-- repeats: 1 for a replay and a backfill, which are made later than their event's other deliveries.
ALTER TABLE deliveries ADD COLUMN repeats INTEGER;

CREATE INDEX deliveries_repeats ON deliveries (webhook_id, sequence) WHERE repeats = 1;
