-- Rows inside of rows: as composite values, as JSON, in lists, and in each other.
create domain zip as text check (length(value) < 9);
create type place as (street text, zip zip, "no" int);
create type "odd type" as (id int, at place, "label" text);
create table customer (
  id int primary key, name text not null, home place, places place[], odd "odd type", notes jsonb, tags text[]
);
create table orders (id int primary key, customer_id int not null references customer, total numeric, secret text);
insert into customer values
  (1, 'Ada', ('High "St"', '1234', 5), array[('A', '1', 1), ('B', '2', 2), null]::place[], (7, ('In', null, null), 'x'),
    '[{"id": 1, "body": "first", "by": {"name": "Bob"}, "replies": [{"id": 3, "body": "re"}]}, null, 5, [], {"id": 2, "body": null}]', '{a,b}'),
  (2, 'Ben', null, null, null, 'null', null),
  (3, 'Cid', (null, null, null), '{}', (8, null, null), '[]', '{}'),
  (4, 'Dot', ('S', '9', 9), array[('Z', '26', 26)]::place[], null, '{"id": 9, "body": "not a list"}', '{}');
insert into orders values (1, 1, 12345678901234567890.123456789, 's1'), (2, 1, 0.5, 's2'), (3, 2, 7, 's3');
