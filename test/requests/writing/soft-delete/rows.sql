insert into all_document (id, owner, title, deleted_at) values
  (1, 'ann', 'a', null), (2, 'ann', 'b', '2025-05-05'), (3, 'bob', 'c', null), (4, 'ann', 'd', null);
alter table all_document alter id restart with 100;
insert into comment values (1, 1, 'one'), (2, 2, 'two');
