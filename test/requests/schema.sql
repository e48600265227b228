create table author (id integer primary key, name text not null, born date);
create table article (
  id integer primary key,
  author_id integer not null references author,
  title text not null,
  published boolean not null default false,
  rating double precision,
  details jsonb
);
insert into author values (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (3, 'Edsger', null);
insert into article values
  (1, 1, 'Notes', true, 4.5, '{"pages": [{"words": 10}]}'),
  (2, 1, 'Engines', false, 2, null),
  (3, 2, 'Compilers', true, 5, '{}');
