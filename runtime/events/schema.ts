/** Tables of events in a source's own database, so that an event commits with the change that it reports. */

/** Raised with every change of the texts below. */
export const EVENTS_VERSION = '4';

/** Updates free their row's old version at once and often, so tables with many short-lived states are vacuumed eagerly. */
const STORAGE = 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0';

/** Brings the tables to this version; may run on any earlier one, and again. */
export const EVENT_TABLES = `
create schema if not exists engine_catalog;

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
drop function if exists engine_catalog.gen_engine_uuid();
`;
