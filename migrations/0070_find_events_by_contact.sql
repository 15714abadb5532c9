-- What webhooks were told of an address, for the day it is erased; no other event enters.
CREATE INDEX events_contact ON events (team_id, data ->> '$.contact.email')
  WHERE substr(type, 1, 8) = 'contact.';
