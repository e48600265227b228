create table shop (id integer primary key, name text not null);
create table sale (id integer primary key, shop_id integer not null references shop, amount integer not null, secret text);
insert into shop values (1, 'Ada'), (2, 'Bob');
insert into sale values (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 1, 30, 'c'), (4, 2, 5, 'd');
create function shop_sales_from(s shop, minimum integer) returns setof sale language sql stable
  as $$ select * from sale where shop_id = s.id and amount >= minimum $$;
create function sale_gross(s sale) returns integer language sql stable as $$ select s.amount * 2 $$;
