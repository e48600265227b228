create table tenant (id int primary key);
create table account (id int primary key, tenant_id int references tenant, owner int, name text, remark text, public boolean);
create index on account (owner);
create index on account (tenant_id);
create table note (id int primary key, account_id int references account, writer int, body text, facts jsonb, area box);
create view card as select id, owner, name, remark from account;
create view summary as select owner, count(*) as accounts, max(remark) as latest from account group by owner;
create function initials(account) returns text language sql stable as $$ select left($1.name, 1) || left($1.remark, 1) $$;
