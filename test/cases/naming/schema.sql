create schema shop;
create table shop.order_item (id int primary key, unit_price numeric, "PartNo" text);
create table local_author (id int primary key, full_name text);
