-- Extensions of the API, switched on. Root fields and types that are there without them keep their names.
create table shop (id integer primary key, name text not null);
create table sale (
  id integer primary key,
  shop_id integer not null references shop,
  stage text not null,
  amount numeric not null,
  note json
);
create table tag (id integer primary key);
create table tag_group_by (id integer primary key);
create table mark (id integer primary key);
create table note (id integer primary key);
