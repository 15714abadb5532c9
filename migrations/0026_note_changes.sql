-- The changed fields of an entry: {"name": ["before", "after"]}.
ALTER TABLE audit_log ADD COLUMN changes TEXT;
