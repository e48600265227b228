/** Tables of cron and one-off events in the metadata database. May run any number of times. */
import { OWN_SCHEMA } from '../database/own-objects.ts';

const EVENT_COLUMNS = `
  scheduled_time timestamptz not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'locked', 'delivered', 'error', 'dead')),
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  next_retry_at timestamptz,
  -- The instance that delivers it while its status is locked; see instances.
  owner uuid`;

const invocations = (table: string, events: string) => `
create table if not exists engine_catalog.${table} (
  id text primary key default gen_random_uuid(),
  event_id text references engine_catalog.${events} (id) on delete cascade on update cascade,
  status integer,
  request json,
  response json,
  created_at timestamptz not null default now()
);
create index if not exists ${table}_event_id on engine_catalog.${table} (event_id);`;

export const SCHEDULED_TABLES = `
${OWN_SCHEMA}

create table if not exists engine_catalog.instances (
  id uuid primary key,
  seen_at timestamptz not null default now()
);

create table if not exists engine_catalog.cron_events (
  id text primary key default gen_random_uuid(),
  trigger_name text not null,${EVENT_COLUMNS}
);
create index if not exists cron_event_status on engine_catalog.cron_events (status);
create index if not exists cron_event_due
  on engine_catalog.cron_events ((coalesce(next_retry_at, scheduled_time))) where status in ('scheduled', 'locked');
create unique index if not exists cron_events_unique_scheduled
  on engine_catalog.cron_events (trigger_name, scheduled_time) where status = 'scheduled';
${invocations('cron_event_invocation_logs', 'cron_events')}

create table if not exists engine_catalog.scheduled_events (
  id text primary key default gen_random_uuid(),
  webhook_conf json not null,
  retry_conf json,
  payload json,
  header_conf json,
  comment text,${EVENT_COLUMNS}
);
create index if not exists scheduled_event_status on engine_catalog.scheduled_events (status);
create index if not exists scheduled_event_due
  on engine_catalog.scheduled_events ((coalesce(next_retry_at, scheduled_time))) where status in ('scheduled', 'locked');
${invocations('scheduled_event_invocation_logs', 'scheduled_events')}
`;
