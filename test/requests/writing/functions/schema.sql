create table team (id serial primary key, name text not null);
create table player (id serial primary key, team_id int references team);
create function join_team(name text) returns setof player language sql as $$
  with made as (insert into team (name) values (name) returning id)
  insert into player (team_id) select id from made returning * $$;
create sequence calls;
create function count_calls(wait float8) returns setof player language plpgsql as $$ begin
  perform nextval('calls'), pg_sleep(wait);
  return query select * from player where id = 1; end $$;
create table sheet (id serial primary key, title text);
create table line (id serial primary key, sheet_id int not null references sheet);
