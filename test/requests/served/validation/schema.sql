create table author (id serial primary key, name text, big numeric, owner text);
create table article (id serial primary key, title text, author_id int references author);
create table free (id int primary key, text text);
