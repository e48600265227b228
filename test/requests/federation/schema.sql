create table author (id integer primary key, name text not null, secret text, tenant integer not null);
create table chapter (book text, number integer, title text not null, author_id integer references author,
  primary key (book, number));
create table note (id integer primary key, body text);
insert into author values (1, 'Ann', 'a', 1), (2, 'Bea', 'b', 1), (3, 'Cyd', null, 2);
insert into chapter values ('x', 1, 'Begin', 1), ('x', 2, 'End', 2), ('y', 1, 'Only', 3);
insert into note values (1, 'kept');
