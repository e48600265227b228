-- Reports over tables that no role may read, with rows inside of rows.
create type sold_line as (product text, price numeric);
create table sale (id int primary key, region text not null, seller text not null, lines sold_line[] not null, paid date);
create table archive (id int primary key, region text not null);
