create table plain (id int, part int, state text not null, primary key (id, part));
create table parted (id int, part int, state text not null, primary key (id, part)) partition by list (part);
create table parted_1 partition of parted for values in (1);
-- Its layout differs from its table's, so that its rows are converted and lose their system columns.
create table parted_2 (gone int, state text not null, part int, id int);
alter table parted_2 drop column gone;
alter table parted_2 alter column part set not null, alter column id set not null;
alter table parted attach partition parted_2 for values in (2);
