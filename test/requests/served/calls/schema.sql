create table note (id int primary key, owner_id int not null, text text not null, done boolean not null default false);
insert into note values (1, 1, 'one'), (2, 2, 'two'), (3, 1, 'three');
