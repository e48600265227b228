create type mood as enum ('sad', 'happy');
create table customer (
  id serial primary key, name text not null unique, agent text not null default 'nobody', mood mood, tags jsonb not null default '{}',
  spent numeric not null default 0
);
create table product (code text primary key, title text not null, stock int not null check (stock >= 0), sizes int[]);
create table "order" (
  id serial primary key, customer_id int not null references customer, state text not null default 'open',
  placed_by text, note text, unique (customer_id, note)
);
create table order_line (
  order_id int not null references "order" on delete cascade, product_code text not null references product,
  amount int not null default 1, primary key (order_id, product_code)
);
create view open_order as select id, customer_id, state from "order" where state = 'open';
create function restock(code text, amount int) returns setof product language sql as $$
  update product set stock = stock + amount where product.code = restock.code returning * $$;
