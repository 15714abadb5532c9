-- The identity of a domain at the provider that follows: its records and its state, as JSON.
alter table domains add column next text;
alter table domains add column next_provider text;
alter table domains add column next_check_at integer;

create index domains_next on domains (next_provider, next_check_at) where next_provider is not null;
