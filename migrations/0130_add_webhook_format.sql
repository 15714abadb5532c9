-- format: the shape of the bodies that a webhook gets: edgepost, or resend.
ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'edgepost';
