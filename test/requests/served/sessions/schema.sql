create table note (id int primary key, owner_id int not null);
insert into note values (1, 1), (2, 2);
-- Locked by a test: what reads and writes it is under way until the test has looked.
create table held (id serial primary key);
create table checked (id serial primary key);
