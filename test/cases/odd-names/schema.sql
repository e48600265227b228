create schema "Sales Dept";
create schema functions;
create table "Sales Dept"."Über `${x}` */ ""q""" (
  "constructor" int constraint odd_pkey primary key,
  "first name" text,
  "back\slash`${tick}" text,
  "{row}" text,
  "__proto__" int
);
create table public."select" (id int primary key, "class" int);
create table public."Select" (id int primary key);
create table public.source (id int primary key references "select");
create table public.con (id int constraint "con pkey" primary key);
create unique index "1st ""key""" on "select" ("class");
create table functions.access (id int primary key);
create table public.standard_fields (id int primary key);
