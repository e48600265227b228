insert into author (name) values ('Ann');
insert into free values (1, 'a');
