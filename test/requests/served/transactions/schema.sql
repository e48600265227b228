create table account (id int primary key, owner text not null, balance int not null check (balance >= 0));
create table entry (
  id int generated always as identity primary key, note text not null, level text,
  account_id int references account deferrable initially deferred
);
create table part (entry_id int not null references entry, label text not null);
create function on_entry() returns trigger language plpgsql as $$ begin
  if new.note = 'kill' then perform pg_terminate_backend(pg_backend_pid()); end if;
  if new.note = 'wait' then perform pg_sleep(20); end if;
  if new.note = 'raise' then raise exception 'the inner secret' using detail = 'a secret detail', hint = 'a secret hint'; end if;
  if new.note like 'state %' then raise exception 'the inner secret' using errcode = substr(new.note, 7); end if;
  new.level = current_setting('transaction_isolation');
  return new;
end $$;
create trigger on_entry before insert or update on entry for each row execute function on_entry();
create function at_commit() returns trigger language plpgsql as $$ begin
  if new.note = 'kill at commit' then perform pg_terminate_backend(pg_backend_pid()); end if;
  return null;
end $$;
create constraint trigger at_commit after insert on entry deferrable initially deferred
  for each row execute function at_commit();
