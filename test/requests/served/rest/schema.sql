create table note (
  id int primary key, owner_id int not null, text text not null, done boolean not null, rank numeric, made date not null
);
insert into note values
  (1, 1, 'one', false, 1.5, '2026-01-01'), (2, 2, 'two', true, 2, '2026-01-02'), (3, 1, 'three / four', true, null, '2026-01-03');
