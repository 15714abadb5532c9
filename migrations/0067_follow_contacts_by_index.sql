-- As before, but SQLite reads the events and runs of the contact, and not those of the team, for each deleted contact.
DROP TRIGGER IF EXISTS contact_events_follow;
DROP TRIGGER IF EXISTS sequence_runs_follow;
CREATE TRIGGER contact_events_follow AFTER DELETE ON contacts BEGIN DELETE FROM contact_events WHERE team_id = OLD.team_id AND id IN (SELECT id FROM contact_events INDEXED BY contact_events_contact WHERE team_id = OLD.team_id AND contact_id = OLD.id) AND contact_id = OLD.id; END;
CREATE TRIGGER sequence_runs_follow AFTER DELETE ON contacts BEGIN UPDATE sequence_runs SET due_at = 0 WHERE team_id = OLD.team_id AND id IN (SELECT id FROM sequence_runs INDEXED BY sequence_runs_contact WHERE team_id = OLD.team_id AND contact_id = OLD.id) AND state = 'waiting'; END;
