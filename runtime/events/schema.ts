/**
 * Tables of events in a source's own database, so that an event commits with the change that it reports.
 * @rule Why does no write fail by what an event trigger captures?
 */
import { OWN_SCHEMA } from '../database/own-objects.ts';

/** Raised with every change of the texts below. */
export const EVENTS_VERSION = '5';

/** Updates free their row's old version at once and often, so tables with many short-lived states are vacuumed eagerly. */
const STORAGE = 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0';

/**
 * What the capturing functions call. None of them can fail, because the write that is captured would fail with it: a value
 * that jsonb cannot hold is kept as its text, and what no text can hold (more than 256 MB) as null. The blocks that
 * catch errors write nothing, so they take no transaction numbers. Their callers set the search path.
 */
const CAPTURE_FUNCTIONS = `
create or replace function engine_catalog.event_value(json) returns jsonb language plpgsql as $engine$
begin
  return $1::pg_catalog.jsonb;
exception when others then
  begin
    return pg_catalog.to_jsonb($1::pg_catalog.text);
  exception when others then
    return null;
  end;
end;
$engine$;

-- The fields of an object that row_to_json made, as they are written. json_each decodes escapes and fails on those that no text
-- can hold; so it reads a copy without escapes, as long as the original, which tells where each field is.
create or replace function engine_catalog.event_fields(json) returns table (key text, value json)
language plpgsql as $engine$
declare
  written pg_catalog.text := $1::pg_catalog.text;
  plain pg_catalog.text := pg_catalog.replace(pg_catalog.replace(written, E'\\\\\\\\', '//'), E'\\\\u', '//');
  rest pg_catalog.text;
  place pg_catalog.int4 := 2;
  size pg_catalog.int4;
  field record;
begin
  for field in select one.key, one.value::pg_catalog.text as value from pg_catalog.json_each(plain::pg_catalog.json) as one loop
    size := pg_catalog.length(pg_catalog.to_json(field.key)::pg_catalog.text);
    key := pg_catalog.substr(written, place, size)::pg_catalog.json operator(pg_catalog.#>>) '{}';
    place := place operator(pg_catalog.+) size operator(pg_catalog.+) 1;
    -- A json column keeps the blanks around its value.
    rest := pg_catalog.ltrim(pg_catalog.substr(plain, place), E' \\t\\n\\r');
    rest := pg_catalog.ltrim(
      pg_catalog.substr(rest, pg_catalog.length(field.value) operator(pg_catalog.+) 1), E' \\t\\n\\r'
    );
    size := pg_catalog.length(plain) operator(pg_catalog.-) place operator(pg_catalog.+) 1
      operator(pg_catalog.-) pg_catalog.length(rest);
    value := pg_catalog.substr(written, place, size)::pg_catalog.json;
    place := place operator(pg_catalog.+) size operator(pg_catalog.+) 1;
    return next;
  end loop;
end;
$engine$;

-- A row, or the named columns that it has.
create or replace function engine_catalog.event_row(anyelement, text[] default null) returns jsonb
language plpgsql as $engine$
begin
  -- Nearly every row is one that jsonb can hold as a whole.
  if $2 is null then
    return pg_catalog.to_jsonb($1);
  end if;
  return (
    select pg_catalog.jsonb_object_agg(field.key, field.value)
    from pg_catalog.jsonb_each(pg_catalog.to_jsonb($1)) as field
    where field.key operator(pg_catalog.=) any ($2)
  );
exception when others then
  begin
    return (
      select pg_catalog.jsonb_object_agg(field.key, engine_catalog.event_value(field.value))
      from engine_catalog.event_fields(pg_catalog.row_to_json($1)) as field
      where $2 is null or field.key operator(pg_catalog.=) any ($2)
    );
  exception when others then
    begin
      return case when $2 is null then pg_catalog.to_jsonb(pg_catalog.format('%s', $1)) end;
    exception when others then
      return null;
    end;
  end;
end;
$engine$;

-- The values that order events. Long ones are hashed: an index takes 2,700 bytes.
create or replace function engine_catalog.event_key(json) returns text language plpgsql as $engine$
declare
  result pg_catalog.text;
begin
  begin
    result := $1::pg_catalog.jsonb::pg_catalog.text;
  exception when others then
    result := $1::pg_catalog.text;
  end;
  if pg_catalog.octet_length(result) operator(pg_catalog.>) 1000 then
    return pg_catalog.concat('#', pg_catalog.hashtextextended(result, 0));
  end if;
  return result;
exception when others then
  return null;
end;
$engine$;

create or replace function engine_catalog.event_key(anyelement, text[]) returns text language plpgsql as $engine$
begin
  return engine_catalog.event_key((
    select pg_catalog.json_agg(field.value order by item.position)
    from pg_catalog.unnest($2) with ordinality as item (name, position)
    left join engine_catalog.event_fields(pg_catalog.row_to_json($1)) as field
      on field.key operator(pg_catalog.=) item.name
  ));
exception when others then
  return null;
end;
$engine$;

-- JSON that a setting of the session holds: any session may set it to any text.
create or replace function engine_catalog.event_setting(text) returns jsonb language plpgsql as $engine$
begin
  if $1 is null or $1 operator(pg_catalog.=) '' then
    return null;
  end if;
  begin
    return $1::pg_catalog.jsonb;
  exception when others then
    begin
      return (
        select pg_catalog.jsonb_object_agg(field.key, engine_catalog.event_value(field.value))
        from engine_catalog.event_fields($1::pg_catalog.json) as field
      );
    exception when others then
      return pg_catalog.to_jsonb($1);
    end;
  end;
end;
$engine$;

create or replace function engine_catalog.event_payload(
  operation text, before jsonb, after jsonb, session text, trace text
) returns jsonb language plpgsql as $engine$
begin
  return pg_catalog.jsonb_build_object(
    'op', operation,
    'data', pg_catalog.jsonb_build_object('old', before, 'new', after),
    'session_variables', engine_catalog.event_setting(session),
    'trace_context', engine_catalog.event_setting(trace)
  );
exception when others then
  return pg_catalog.jsonb_build_object(
    'op', operation,
    'data', pg_catalog.jsonb_build_object('old', null, 'new', null),
    'session_variables', null,
    'trace_context', null
  );
end;
$engine$;
`;

/** Brings the tables to this version; may run on any earlier one, and again. */
export const EVENT_TABLES = `
${OWN_SCHEMA}

create table if not exists engine_catalog.source_catalog_version (
  version text not null,
  upgraded_on timestamptz not null default now()
);
create unique index if not exists source_catalog_version_one_row
  on engine_catalog.source_catalog_version ((version is not null));

-- The columns' default is this function, so dropping the extension that once had gen_random_uuid does not drop the default.
-- No search path is set: that would prevent inlining, and a call for each event takes longer than the rest of its capture.
create or replace function engine_catalog.gen_engine_uuid() returns uuid
language sql volatile as 'select pg_catalog.gen_random_uuid()';

create table if not exists engine_catalog.event_log (
  id text primary key default engine_catalog.gen_engine_uuid(),
  schema_name text not null,
  table_name text not null,
  trigger_name text not null,
  payload jsonb not null,
  delivered boolean not null default false,
  error boolean not null default false,
  tries integer not null default 0,
  created_at timestamp default now(),
  locked timestamptz,
  next_retry_at timestamp,
  archived boolean not null default false,
  -- The instance that holds the lock; see instances.
  owner uuid,
  -- Order of the changes, as far as transactions have one.
  seq bigint generated always as identity
) with (${STORAGE});
create index if not exists event_log_trigger_name_idx on engine_catalog.event_log (trigger_name);
create index if not exists event_log_fetch_events
  on engine_catalog.event_log (locked nulls first, next_retry_at nulls first, created_at)
  where delivered = false and error = false and archived = false;
-- Events with the same key are delivered in order, where the trigger asks for it: a JSON array of values.
alter table engine_catalog.event_log add column if not exists key text;
create index if not exists event_log_by_key on engine_catalog.event_log (trigger_name, key, seq)
  where key is not null and delivered = false and archived = false;
create index if not exists event_log_fetch_by_trigger
  on engine_catalog.event_log (trigger_name, next_retry_at nulls first, seq)
  where delivered = false and error = false and archived = false;
-- For operators: a log of many delivered events is not read to find those that failed.
create index if not exists event_log_failed on engine_catalog.event_log (trigger_name, created_at)
  where error and not archived;

create table if not exists engine_catalog.event_invocation_logs (
  id text primary key default engine_catalog.gen_engine_uuid(),
  trigger_name text,
  event_id text,
  status integer,
  request json,
  response json,
  created_at timestamp default now()
) with (${STORAGE});
create index if not exists event_invocation_logs_event_id_idx on engine_catalog.event_invocation_logs (event_id);

create table if not exists engine_catalog.event_log_cleanups (
  id text primary key default engine_catalog.gen_engine_uuid(),
  trigger_name text not null,
  scheduled_at timestamp not null,
  deleted_event_logs integer,
  deleted_event_invocation_logs integer,
  status text not null check (status in ('scheduled', 'paused', 'completed', 'dead')),
  unique (trigger_name, scheduled_at)
);

create table if not exists engine_catalog.paused_event_triggers (
  trigger_name text primary key,
  paused_at timestamptz not null default now()
);

create table if not exists engine_catalog.instances (
  id uuid primary key,
  seen_at timestamptz not null default now()
);

${CAPTURE_FUNCTIONS}
insert into engine_catalog.source_catalog_version (version) values ('${EVENTS_VERSION}')
on conflict ((version is not null)) do update set version = excluded.version, upgraded_on = now();
`;

/** Removes what the texts above made; the schema stays when others use it. */
export const DROP_EVENT_TABLES = `
drop table if exists
  engine_catalog.event_log,
  engine_catalog.event_invocation_logs,
  engine_catalog.event_log_cleanups,
  engine_catalog.paused_event_triggers,
  engine_catalog.source_catalog_version;
drop function if exists
  engine_catalog.gen_engine_uuid(),
  engine_catalog.event_payload(text, jsonb, jsonb, text, text),
  engine_catalog.event_setting(text),
  engine_catalog.event_key(anyelement, text[]),
  engine_catalog.event_key(json),
  engine_catalog.event_row(anyelement, text[]),
  engine_catalog.event_fields(json),
  engine_catalog.event_value(json);
`;
