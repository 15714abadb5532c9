-- In which line an email waits: 0 transactional mail, 1 a campaign's, 2 mail that is scheduled.
ALTER TABLE emails ADD COLUMN line INTEGER
  GENERATED ALWAYS AS (iif(status = 'scheduled', 2, campaign_id IS NOT NULL)) VIRTUAL;

-- Each team's open emails in their order: claims take turns between the teams. Leaving it costs no row.
CREATE INDEX emails_open ON emails (line, team_id, not_before) WHERE due_at IS NOT NULL;
DROP INDEX emails_due;

-- A page is taken from here, not found again by its time.
DROP INDEX campaign_pages_due;

-- The running claim: its name, and the emails that it chose. Then who was served last: the team, the
-- team whose campaigns' retries, and the page of a campaign.
ALTER TABLE provider_turns ADD COLUMN claimed_by TEXT;
ALTER TABLE provider_turns ADD COLUMN chosen TEXT;
ALTER TABLE provider_turns ADD COLUMN last_team TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_turns ADD COLUMN last_bulk_team TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_turns ADD COLUMN page TEXT;
