create table app (id int primary key, owner text not null);
create table item (id int primary key, app_id int not null references app, word text);
create index on app (owner);
create view busy_app as select app.id, app.owner, (select count(*) from item where app_id = app.id) as items from app;
create function shout(item) returns text language sql stable as 'select upper($1.word)';
