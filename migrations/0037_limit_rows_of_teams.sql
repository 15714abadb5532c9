-- What one team may have, so that nobody fills the database for all. A refused row's message is the reply's:
-- "A team has " and the message. bytes: 0 for images from before.
ALTER TABLE images ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER templates_limit BEFORE INSERT ON templates WHEN (SELECT count(*) FROM (SELECT 1 FROM templates WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 templates'); END;
CREATE TRIGGER template_drafts_limit BEFORE INSERT ON template_drafts WHEN (SELECT count(*) FROM (SELECT 1 FROM template_drafts WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 drafts of templates'); END;
CREATE TRIGGER layouts_limit BEFORE INSERT ON layouts WHEN (SELECT count(*) FROM (SELECT 1 FROM layouts WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 layouts'); END;
CREATE TRIGGER campaigns_limit BEFORE INSERT ON campaigns WHEN NEW.status = 'draft' AND (SELECT count(*) FROM (SELECT 1 FROM campaigns WHERE team_id = NEW.team_id AND status = 'draft' LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 drafts of campaigns'); END;
CREATE TRIGGER contact_books_limit BEFORE INSERT ON contact_books WHEN (SELECT count(*) FROM (SELECT 1 FROM contact_books WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 contact books'); END;
CREATE TRIGGER segments_limit BEFORE INSERT ON segments WHEN (SELECT count(*) FROM (SELECT 1 FROM segments WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 segments'); END;
CREATE TRIGGER domains_limit BEFORE INSERT ON domains WHEN (SELECT count(*) FROM (SELECT 1 FROM domains WHERE team_id = NEW.team_id LIMIT 1000)) >= 1000 BEGIN SELECT raise(abort, 'at most 1,000 domains'); END;
CREATE TRIGGER images_limit BEFORE INSERT ON images WHEN NOT EXISTS (SELECT 1 FROM images WHERE team_id = NEW.team_id AND sha256 = NEW.sha256) AND (SELECT count(*) >= 1000 OR sum(bytes) + NEW.bytes > 1000000000 FROM images WHERE team_id = NEW.team_id) BEGIN SELECT raise(abort, 'at most 1,000 images, of 1 GB in all'); END;
