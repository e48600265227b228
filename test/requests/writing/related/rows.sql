insert into address values (1, 'Oslo', '7'), (2, 'Rome', 'x');
insert into author values (1, 'Ann', 1, 1), (2, 'Bob', 1, 1), (3, 'Cid', 2, 2), (4, 'Dora', 1, null);
insert into article (id, author_id, title, rank, secret) values
  (1, 1, 'a', 1, false), (2, 1, 'b', 2, false), (3, 1, 'c', 3, true), (4, 2, 'd', 4, false), (5, 3, 'e', 5, false);
insert into comment (id, article_id, body) values (1, 1, 'fine'), (2, 2, 'spam'), (3, 3, 'spam'), (4, 4, 'spam');
insert into award values (1, 'gold');
