create table note (id serial primary key, text text);
create function add_note() returns setof note language sql volatile as
  'insert into note (text) values (''called'') returning *';
