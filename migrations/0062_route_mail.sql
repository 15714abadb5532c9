-- Mail that Cloudflare Email Routing leads to the Worker. routing: what it had of the domain before. routing_check_at: the next check. routing_until: the end of the lease of a running check.
ALTER TABLE domains ADD COLUMN routing TEXT;
ALTER TABLE domains ADD COLUMN routing_check_at INTEGER;
ALTER TABLE domains ADD COLUMN routing_until INTEGER;
CREATE INDEX domains_routing ON domains (routing_check_at) WHERE routing_check_at IS NOT NULL;
