-- A help desk of many tenants, as it is stored on a Citus cluster (distribution.json), made on plain PostgreSQL.
create table plan (value text primary key, comment text not null);
create table ticket_status (value text primary key, comment text not null);
insert into ticket_status values ('open', 'Nobody has answered'), ('pending', 'The customer is asked'), ('solved', 'Done');
insert into plan values ('free', 'Costs nothing'), ('team', 'Per agent');

create table tenant (
  id   serial primary key,
  name text not null,
  plan text not null references plan default 'free'
);
create table team (
  id        serial,
  tenant_id integer not null references tenant on delete cascade,
  name      text not null,
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create table agent (
  id        serial,
  tenant_id integer not null references tenant on delete cascade,
  name      text not null,
  email     text not null,
  primary key (tenant_id, id)
);
create table team_member (
  tenant_id integer not null,
  team_id   integer not null,
  agent_id  integer not null,
  is_lead   boolean not null default false,
  primary key (tenant_id, team_id, agent_id),
  foreign key (tenant_id, team_id) references team (tenant_id, id) on delete cascade,
  foreign key (tenant_id, agent_id) references agent (tenant_id, id) on delete cascade
);
create table customer (
  id        serial,
  tenant_id integer not null references tenant on delete cascade,
  name      text not null,
  email     text not null,
  primary key (tenant_id, id)
);
create table ticket (
  id          serial,
  tenant_id   integer not null references tenant on delete cascade,
  customer_id integer not null,
  team_id     integer,
  assignee_id integer,
  subject     text not null,
  status      text not null references ticket_status default 'open',
  votes       integer not null default 0,
  details     jsonb not null default '{}',
  created_at  timestamptz not null default '2026-01-01 12:00+00',
  solved_at   timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customer (tenant_id, id) on delete cascade,
  foreign key (tenant_id, assignee_id) references agent (tenant_id, id),
  foreign key (tenant_id, team_id) references team (tenant_id, id)
);
create table message (
  id          serial,
  tenant_id   integer not null,
  ticket_id   integer not null,
  agent_id    integer,
  body        text not null,
  is_internal boolean not null default false,
  primary key (tenant_id, id),
  foreign key (tenant_id, ticket_id) references ticket (tenant_id, id) on delete cascade,
  foreign key (tenant_id, agent_id) references agent (tenant_id, id)
);
create table tag (
  id        serial,
  tenant_id integer not null references tenant on delete cascade,
  name      text not null,
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create table ticket_tag (
  tenant_id integer not null,
  ticket_id integer not null,
  tag_id    integer not null,
  primary key (tenant_id, ticket_id, tag_id),
  foreign key (tenant_id, ticket_id) references ticket (tenant_id, id) on delete cascade,
  foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade
);
create table article (
  id           serial,
  tenant_id    integer not null references tenant on delete cascade,
  author_id    integer,
  title        text not null,
  published_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, author_id) references agent (tenant_id, id)
);
create view team_workload as
select team.tenant_id, team.id as team_id, team.name as team_name, count(ticket.id) as tickets
from team
left join ticket on ticket.tenant_id = team.tenant_id and ticket.team_id = team.id
group by team.tenant_id, team.id, team.name;

-- Distributed by another column, in a colocation group of its own.
create table login (
  email text not null,
  at    timestamptz not null default '2026-01-01 12:00+00',
  primary key (email, at)
);
-- On the coordinator only.
create table setting (name text primary key, value text not null);
insert into setting values ('theme', 'dark');

-- A schema of its own for one tenant: all its tables are one shard.
create schema acme;
create table acme.project (id integer primary key, name text not null);
create table acme.task (
  id         integer primary key,
  project_id integer not null references acme.project,
  title      text not null
);
insert into acme.project values (1, 'Moon'), (2, 'Mars');
insert into acme.task values (1, 1, 'Rocket'), (2, 1, 'Suit'), (3, 2, 'Map');

create function search_articles(search text) returns setof article language sql stable as $$
  select * from article where title ilike '%' || search || '%' order by id
$$;
create function ticket_hours_to_solve(ticket ticket) returns numeric language sql stable as $$
  select round(extract(epoch from ticket.solved_at - ticket.created_at)::numeric / 3600, 1)
$$;

-- What reads other tables beside the row, or instead of one.
create function ticket_advice(ticket ticket) returns text language plpgsql stable as $$ begin
  return (select comment from ticket_status where value = 'solved');
end $$;
create function ticket_theme(ticket ticket) returns text language sql stable as $$
  select value from setting where name = 'theme'
$$;
create function plans_in_sql() returns setof plan language sql stable as $$ select * from plan $$;
create function plans_in_plpgsql() returns setof plan language plpgsql stable as $$ begin
  return query select * from plan order by value;
end $$;
create function settings_in_sql() returns setof setting language sql stable as $$ select * from setting $$;
-- Views that show no column of their tables, and one over a function.
create view ticket_word as select to_jsonb(ticket.*) - 'created_at' as body, 'k'::text as word from ticket;
create view ticket_one as select 1 as one from ticket;
create view ticket_count as select count(*) as n from ticket;
create view plan_view as select * from plans_in_sql();
create materialized view team_size as select tenant_id, team_id, count(*) as members from team_member group by 1, 2;
