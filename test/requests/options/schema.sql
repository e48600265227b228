create table author (id int primary key, name text not null, tags text[] not null default '{}');
create table article (id int primary key, author_id int not null references author, published boolean);
insert into author values (1, 'Ada', '{poet,"a, b"}'), (2, 'Grace', '{}');
insert into article values (1, 1, true), (2, 1, false), (3, 2, true);
