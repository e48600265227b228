insert into article values (1, 7, 'one'), (2, 7, 'two'), (3, 5, 'three'), (4, 5, 'four');
