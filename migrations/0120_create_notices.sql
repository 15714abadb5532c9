-- What the owners of a team are told by mail: a kind once a day. An empty team_id is the
-- installation.
create table notices (
  team_id text not null,
  kind text not null,
  day text not null,
  about text not null default '{}',
  created_at integer not null,
  -- Null once it is told.
  due_at integer,
  primary key (team_id, kind, day)
) without rowid;

create index notices_due on notices (due_at) where due_at is not null;
