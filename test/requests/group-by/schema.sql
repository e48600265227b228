create table stage (name text primary key, comment text);
insert into stage values ('open', 'not answered yet'), ('done', null);
create type severity as enum ('low', 'high');
create table team (id integer primary key, name text not null);
create table ticket (
  id integer primary key,
  team_id integer not null references team,
  stage text references stage,
  severity severity not null,
  owner integer not null,
  secret text,
  public boolean not null,
  rating double precision,
  cost bigint not null,
  tags text[] not null,
  details json
);
create function ticket_doubled(t ticket) returns integer language sql stable as $$ select (t.cost * 2)::integer $$;
insert into team values (1, 'Blue'), (2, 'Red'), (3, 'Empty');
-- The hidden tickets would make groups of their own, or change the figures of others.
insert into ticket values
  (1, 1, 'open', 'low', 1, 'a', true, 4.5, 10, '{new}', '{"a": 1}'),
  (2, 1, 'open', 'high', 1, 'b', true, 2, 20, '{}', null),
  (3, 1, 'done', 'high', 2, 'a', true, null, 30, '{new}', null),
  (4, 2, 'open', 'low', 2, 'c', true, 1, 40, '{}', null),
  (5, 2, null, 'low', 2, 'c', true, 3, 50, '{}', null),
  (6, 2, 'done', 'low', 1, 'z', false, 100, 1000, '{old}', null);
