-- A delivery that succeeds never enters this index, so it costs no row.
CREATE INDEX deliveries_failed ON deliveries (team_id, webhook_id, id) WHERE state IN ('failed', 'exhausted');
