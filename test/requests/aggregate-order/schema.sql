create table author (id int primary key, name text);
create table article (id int primary key, author_id int not null references author, words int, secret int, public boolean not null);
create function latest(author_row author) returns setof article stable language sql as $$
  select * from article where author_id = author_row.id
$$;
insert into author values (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
-- Hidden articles and hidden columns would order the other way round.
insert into article values (1, 1, 10, 1, true), (2, 2, 20, 0, true), (3, 2, 30, 0, true),
  (4, 1, 99, 9, false), (5, 1, 99, 9, false), (6, 3, 99, 9, false);
