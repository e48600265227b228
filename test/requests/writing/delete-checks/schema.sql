create table project (
  id int primary key, owner text not null, state text not null default 'open', hidden boolean not null default false,
  parent_id int references project on delete cascade
);
create table task (
  id int primary key, project_id int not null references project on delete cascade, author text, body text not null default ''
);
create table invoice (id int primary key, project_id int not null references project);
create view open_project as select id, owner, state from project where not hidden;
create view assignment as select task.id, author, project.state from task join project on project.id = project_id;
create function unassign() returns trigger language plpgsql as $$ begin
  delete from task where id = old.id;
  return old;
end $$;
create trigger unassign instead of insert or delete on assignment for each row execute function unassign();
create table entry (id int not null, day date not null, note text) partition by range (day);
create table entry_2025 partition of entry for values from ('2025-01-01') to ('2026-01-01');
create table entry_2026 partition of entry for values from ('2026-01-01') to ('2027-01-01');
create table guarded (id int primary key, n int);
create function guard() returns trigger language plpgsql as $$ begin
  if old.n = 1 then return null; end if;
  return old;
end $$;
create trigger guard before delete on guarded for each row execute function guard();
create function tasks_of(project) returns bigint stable language sql as 'select count(*) from task where project_id = $1.id';
