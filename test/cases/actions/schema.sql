create table account (id int primary key, code uuid not null, name text not null, big bigint, active boolean);
create table entry (id int primary key, account_id int not null, label text);
