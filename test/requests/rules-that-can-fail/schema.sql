create table team (id int primary key, owner int not null, name text not null);
create table item (id int primary key, team_id int not null references team, owner int not null, title text not null);
create table note (id int primary key, item_id int not null references item, pages text not null);
-- Cheaper than a comparison, so Postgres calls them first.
create function item_size(item) returns int stable cost 0.1 language plpgsql as $$ begin return $1.title::int; end $$;
create function note_size(note) returns int stable cost 0.1 language plpgsql as $$ begin return $1.pages::int; end $$;
