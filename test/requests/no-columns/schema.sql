create table author (id serial primary key, name text);
create table article (
  id serial primary key, author_id int not null references author, title text, owner text not null default ''
);
create function author_title(author_row author) returns text stable language sql as $$ select 'Dr ' || author_row.name $$;
