-- What contacts did, as callers tell it. Kept for 90 days.
CREATE TABLE contact_events (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  properties TEXT NOT NULL DEFAULT '{}',
  idempotency_key TEXT,
  fingerprint TEXT,
  PRIMARY KEY (team_id, id, contact_id)
) WITHOUT ROWID;

CREATE INDEX contact_events_contact ON contact_events (team_id, contact_id, id);
CREATE INDEX contact_events_key ON contact_events (team_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TRIGGER contact_events_follow AFTER DELETE ON contacts BEGIN DELETE FROM contact_events WHERE team_id = OLD.team_id AND contact_id = OLD.id; END;
