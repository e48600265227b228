create table note (id int primary key, text text not null);
create table seen (note_id int, "user" text, trace text);
create function see() returns trigger language plpgsql as $$ begin
  if new.text = 'slow' then perform pg_sleep(0.3); end if;
  insert into seen values (new.id, current_setting('engine.user'), current_setting('engine.tracecontext'));
  return new;
end $$;
create trigger see before insert or update on note for each row execute function see();
create view reader as select pg_backend_pid() as pid, current_setting('engine.user') as "user",
  current_setting('engine.tracecontext') as trace;
create function rename(new_text text) returns setof note language sql volatile as $$
  update note set text = new_text where id = 1 returning *
$$;
create function touch(new_text text) returns setof note language sql volatile as $$
  update note set text = new_text where id = 1 returning *
$$;
create function peek() returns setof note language sql volatile as 'select * from note';
