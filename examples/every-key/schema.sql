create schema shop;
create extension if not exists citext;

create table shop.status (value text primary key, comment text);
insert into shop.status values ('open', 'not paid yet'), ('paid', null);

create table shop.customers (
  id serial primary key,
  mail text not null,
  country text not null default 'NO',
  deleted_at timestamptz
);
create table shop.orders (
  id serial primary key,
  customer_id int not null references shop.customers,
  status text not null default 'open' references shop.status,
  note text,
  created_at timestamptz not null default now(),
  unique (id, customer_id)
);
create table shop.lines (
  order_id int not null,
  customer_id int not null,
  line_no int not null,
  product text not null,
  price numeric not null,
  primary key (order_id, line_no),
  foreign key (order_id, customer_id) references shop.orders (id, customer_id)
);
create view shop.open_orders as select id, customer_id from shop.orders where status = 'open';

create function shop.order_total(row_of shop.orders, session json) returns numeric stable language sql
  as $$ select sum(price) from shop.lines where order_id = row_of.id $$;
create function shop.orders_since(since timestamptz, session json) returns setof shop.orders stable language sql
  as $$ select * from shop.orders where created_at >= since $$;
create function shop.close_orders() returns setof shop.orders volatile language sql
  as $$ update shop.orders set status = 'paid' returning * $$;

create table public.visits (id serial primary key, customer_id int not null, page text not null);
