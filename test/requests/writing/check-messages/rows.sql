insert into folder values (1, 'ann', 'open'), (2, 'ann', 'closed'), (3, 'bob', 'closed');
insert into letter values (1, 1, 'a'), (2, 2, ''), (3, 3, 'c');
insert into entry values (1, '2026-01-01', 'a');
