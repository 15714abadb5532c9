-- replied: the person has answered mail of the run.
ALTER TABLE sequence_runs ADD COLUMN replied INTEGER NOT NULL DEFAULT 0;
-- Runs of a contact that unsubscribes, or may have reached a goal, are looked at again. The other visit keeps out a move that was decided before.
CREATE TRIGGER sequence_runs_unsubscribed AFTER UPDATE OF subscribed ON contacts WHEN OLD.subscribed AND NOT NEW.subscribed BEGIN UPDATE sequence_runs SET due_at = 0, visit = visit + (visit > 0) WHERE team_id = OLD.team_id AND contact_id = OLD.id AND state = 'waiting'; END;
CREATE TRIGGER sequence_runs_goal AFTER UPDATE OF properties ON contacts WHEN OLD.properties <> NEW.properties BEGIN UPDATE sequence_runs SET due_at = 0 WHERE team_id = OLD.team_id AND contact_id = OLD.id AND state = 'waiting' AND EXISTS (SELECT 1 FROM sequences WHERE sequences.team_id = sequence_runs.team_id AND sequences.id = sequence_runs.sequence_id AND sequences.goal IS NOT NULL); END;
