create table book (id integer primary key, title text not null, price numeric(8, 2) not null, codes uuid[] not null default '{}');
insert into book values
  (1, 'Notes', 12.50, '{11111111-1111-1111-1111-111111111111}'),
  (2, 'Engines', 7.25, '{}'),
  (3, 'Compilers', 40.00, '{33333333-3333-3333-3333-333333333333}');

create function books_of(ids integer[]) returns setof book language sql stable
  as $$ select * from book where id = any (ids) $$;
create function books_with(codes uuid[]) returns setof book language sql stable
  as $$ select * from book b where b.codes && books_with.codes $$;
create function book_is_one_of(b book, titles text[]) returns boolean language sql stable
  as $$ select b.title = any (titles) $$;
create function book_digits(b book) returns integer language sql stable as $$ select length(b.title) $$;
create function book_gross(b book) returns numeric language sql stable as $$ select round(b.price * 1.2, 2) $$;
create function book_weight(b book) returns double precision language sql stable as $$ select b.id * 1.5::double precision $$;

-- A name that GraphQL does not allow, and an argument without a name.
create table "order items" (id integer constraint order_items_pkey primary key, amount integer not null);
insert into "order items" values (1, 5), (2, 7);
create function increased(integer) returns setof "order items" language sql stable
  as $$ select id, amount + $1 from "order items" $$;

-- An array of a domain, in conditions and in a rule.
create domain small as integer check (value < 10);
create table shelf (id integer primary key, levels small[] not null);
insert into shelf values (1, '{1,2}'), (2, '{3}'), (3, '{9}');

-- Arguments without names between others: the session, a result, a table's row, and a name that looks like a number's.
create function picked(integer, session json, integer, last integer) returns setof book language sql stable
  as $$ select * from book where id in ($1, $3, last) and session ->> 'x-engine-role' = 'reader' $$;
create function found(out book, integer, arg_1 integer default 0, integer default 0) language sql stable
  as $$ select row(id, title, price, codes)::book from book where id = $1 + arg_1 + $3 $$;
create function book_scaled(book, integer, plus integer, integer) returns integer language sql stable
  as $$ select $1.id * $2 + plus * $4 $$;
