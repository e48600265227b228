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

-- A shop: rules that follow from each other, enum tables, functions, all kinds of values.
create table stage (name text primary key, comment text);
insert into stage values ('open', 'not paid yet'), ('paid', null);
create table customer (id integer primary key, agent integer not null, name text not null, notes text, tags text[] not null);
create table invoice (
  id integer primary key,
  customer_id integer not null references customer,
  stage text not null references stage,
  total numeric(8, 2) not null,
  due daterange,
  issued timestamptz not null
);
create table line (
  id integer primary key,
  invoice_id integer not null references invoice,
  product text not null,
  quantity integer not null,
  price numeric(8, 2) not null
);
insert into customer values
  (1, 4, 'Lovelace Ltd', 'pays late', '{old,large}'),
  (2, 4, 'Hopper Inc', null, '{}'),
  (3, 5, 'Dijkstra BV', 'in cash', '{large}');
insert into invoice values
  (1, 1, 'paid', 12.50, '[2024-01-01,2024-02-01)', '2024-01-01 10:00+00'),
  (2, 1, 'open', 99.00, null, '2024-02-01 10:00+00'),
  (3, 2, 'open', 7.25, '[2024-03-01,2024-04-01)', '2024-03-01 10:00+00'),
  (4, 3, 'paid', 1000.00, null, '2024-04-01 10:00+00');
insert into line values
  (1, 1, 'cards', 5, 2.50), (2, 2, 'gears', 9, 11.00), (3, 3, 'moths', 29, 0.25), (4, 4, 'semaphores', 2, 500.00);
create function invoice_label(i invoice) returns text language sql stable as $$ select i.stage || ' ' || i.id $$;
create function invoice_in(i invoice, rate numeric, places integer default 2) returns numeric language sql stable
  as $$ select round(i.total * rate, places) $$;
create function customer_similar(c customer) returns setof customer language sql stable
  as $$ select * from customer other where other.agent = c.agent and other.id <> c.id $$;
create function customer_is_mine(c customer, session json) returns boolean language sql stable
  as $$ select c.agent = (session ->> 'x-engine-agent')::integer $$;
create function invoices_above(above numeric, at_stage text default null) returns setof invoice language sql stable
  as $$ select * from invoice where total > above and (at_stage is null or stage = at_stage) $$;
create function largest_invoice() returns invoice language sql stable
  as $$ select * from invoice order by total desc limit 1 $$;
