insert into project (id, owner, state, hidden, parent_id) values
  (1, 'ann', 'done', false, null), (2, 'ann', 'open', false, null), (3, 'ann', 'done', true, null), (4, 'bob', 'done', false, null),
  (5, 'ann', 'done', false, 1), (6, 'ann', 'open', false, 4), (7, 'ann', 'done', false, null);
insert into task (id, project_id, author, body) values (1, 1, 'ann', ''), (2, 1, null, ''), (3, 2, 'ann', ''), (4, 7, 'bob', 'x');
insert into invoice values (1, 7);
insert into entry values (1, '2025-05-05', 'a'), (2, '2026-05-05', 'b'), (3, '2026-06-06', null);
insert into guarded values (1, 1), (2, 2), (3, 3);
