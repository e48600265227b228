create table status (value text primary key, comment text);
insert into status values ('open', null), ('closed', null);
create table "group" (id uuid primary key default gen_random_uuid(), name text not null);
create table item (
  id bigint primary key generated always as identity, name text not null, price numeric, small smallint, ratio real,
  status text references status, tags text[] not null default '{}', data jsonb, at timestamptz not null default now(),
  day date, span int4range, done boolean not null default false, group_id uuid references "group");
insert into "group" values ('01928f3c-6b1e-7c7a-9d0e-3f4a5b6c7d8e', 'first');
insert into item (name, price, status, tags, data, group_id, span) values
  ('one', 1.50, 'open', '{a,b}', '{"k": [1, null]}', '01928f3c-6b1e-7c7a-9d0e-3f4a5b6c7d8e', '[1,5)'),
  ('two', null, null, '{}', null, null, null);
