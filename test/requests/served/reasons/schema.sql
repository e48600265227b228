create table author (id int primary key, name text not null);
create table article (
  id int primary key, author_id int not null references author, title text not null, secret text, team text not null default 'a'
);
insert into author values (1, 'one'), (2, 'two');
insert into article values (1, 1, 'first', 'hush', 'a');
