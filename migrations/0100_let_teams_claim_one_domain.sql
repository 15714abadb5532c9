-- Several teams may be pending on one name; one team at most has it verified.
CREATE UNIQUE INDEX domains_claimed ON domains (name, team_id) WHERE status IN ('pending', 'verified');
CREATE UNIQUE INDEX domains_verified ON domains (name) WHERE status = 'verified';
DROP INDEX domains_taken;
