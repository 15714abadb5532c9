-- A row is there while a provider takes no mail. One email at a time tries it: the probe.
CREATE TABLE provider_pauses (
  provider TEXT NOT NULL PRIMARY KEY,
  since INTEGER NOT NULL,
  reason TEXT NOT NULL,
  probe_at INTEGER NOT NULL,
  probed_by TEXT
) WITHOUT ROWID;
