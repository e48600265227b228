insert into team values (1, 1, 'mine'), (2, 2, 'theirs');
insert into item values (11, 1, 1, '4'), (12, 1, 2, 'a secret'), (21, 2, 2, 'another secret');
insert into note values (111, 11, '3'), (121, 12, 'no number'), (211, 21, 'no number either');
