create table folder (id int primary key, owner text not null, state text not null default 'open');
create table letter (id int primary key, folder_id int not null references folder on delete cascade, body text not null default '');
create table entry (id int not null, day date not null, note text, primary key (id, day)) partition by range (day);
create table entry_2026 partition of entry for values from ('2026-01-01') to ('2027-01-01');
