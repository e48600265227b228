create type mood as enum ('sad', 'happy');
create table board (id integer primary key, cells integer[], mood mood, notes jsonb);
