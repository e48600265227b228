create collation loose (provider = icu, locale = 'und', deterministic = false);
create table shape (
  id integer primary key, area box not null, tags text[] not null, name text collate loose not null
);
insert into shape values
  (1, '(1,1),(0,0)', '{a,b}', 'one'),
  (2, '(2,2),(0,0)', '{}', 'two'),
  (3, '(3,3),(0,0)', '{a,"b c"}', 'three');
