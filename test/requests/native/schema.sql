-- Reporting, search with ranking, and a tree: what native queries are written for.
create table customer (id int primary key, name text not null, region text not null, balance numeric);
create table invoice (
  id int primary key, customer_id int not null references customer, issued date not null, total numeric(10, 2) not null, note text
);
create table page (id int primary key, parent_id int references page, title text not null, body text not null, owner_id int not null);
insert into customer values (1, 'Ada', 'north', 10.50), (2, 'Ben', 'south', null), (3, 'Cid', 'north', 99999999999999999999);
insert into invoice values
  (1, 1, '2024-01-05', 100, null), (2, 1, '2024-02-05', 50.25, 'late'), (3, 2, '2024-01-20', 70, null), (4, 3, '2024-02-01', 5, 'it''s');
insert into page values
  (1, null, 'Start', 'welcome to the house', 1), (2, 1, 'Kitchen', 'a stove and a house cat', 1),
  (3, 2, 'Stove', 'hot', 2), (4, 1, 'Garden', 'house plants, house, house', 2);
