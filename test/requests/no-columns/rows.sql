insert into author (name) values ('Ann'), ('Bob');
insert into article (author_id, title) values (1, 'a'), (1, 'b'), (2, 'c');
