create table note (id int primary key, owner_id int not null, text text not null, tags text[] not null default '{}');
insert into note values (1, 1, 'one', '{a}'), (2, 2, 'two', '{b}'), (3, 1, 'three', '{a,b}');
