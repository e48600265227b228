/**
 * The queues of cron and one-off events, in the metadata database.
 * @rule Which cron events that were due while no server ran are sent?
 */
import { isOwned, keepsAlive, type Lease, type QueueQuery } from '../database/queue/lease.ts';
import { freeLostClaims } from '../database/queue/lost-claims.ts';
import type { QueueStore } from '../database/queue/worker.ts';
import type { EventOutcome } from './event-store.ts';

export interface ScheduledJob {
  readonly id: string;
  /** Cron events only. */
  readonly trigger: string | null;
  /** JSON texts of times, in UTC. */
  readonly scheduledTime: string;
  readonly createdAt: string;
  readonly tries: number;
  /** One-off events only, as given to the metadata API: JSON texts, or null. */
  readonly webhook: string | null;
  readonly headers: string | null;
  readonly retry: string | null;
  readonly payload: string | null;
  readonly comment: string | null;
  /** Late beyond its tolerance: nothing is sent. */
  readonly isDead: boolean;
}

/** A cron trigger as its events are claimed for it. */
export interface Tolerance {
  readonly name: string;
  /** Seconds. */
  readonly tolerance: number;
  /** Which of the events that were due while no server ran are sent: all, the last one, or none. */
  readonly missed: 'all' | 'one' | 'skip';
}

const IS_DUE = `(e.status = 'scheduled' or (e.status = 'locked' and not ${isOwned('e.owner')}))
  and coalesce(e.next_retry_at, e.scheduled_time) <= now()`;

const time = (column: string) => `to_json(timezone('utc', ${column}))::text`;

const CLAIM_CRON = `
with due as materialized (
  select e.id, now() - e.scheduled_time > t.tolerance * interval '1 second'
    or e.tries = 0 and case t.missed
      when 'skip' then now() - e.scheduled_time > interval '1 minute'
      when 'one' then exists (
        select from engine_catalog.cron_events n
        where n.trigger_name = e.trigger_name and n.status = 'scheduled' and n.tries = 0
          and n.scheduled_time > e.scheduled_time and n.scheduled_time <= now()
      )
      else false
    end as is_dead
  from engine_catalog.cron_events e
  join unnest($1::text[], $2::float8[], $5::text[]) as t (name, tolerance, missed) on t.name = e.trigger_name
  where ${IS_DUE}
  order by coalesce(e.next_retry_at, e.scheduled_time)
  limit $3 for update of e skip locked
),
${keepsAlive('$4', 'due')}
update engine_catalog.cron_events e
set status = case when is_dead then 'dead' else 'locked' end, owner = case when not is_dead then $4::uuid end
from due
where e.id = due.id
returning e.id, e.trigger_name as trigger, ${time('e.scheduled_time')} as "scheduledTime",
  ${time('e.created_at')} as "createdAt", e.tries, is_dead as "isDead"`;

const CLAIM_ONE_OFF = `
with due as materialized (
  select e.id,
    now() - e.scheduled_time
      > coalesce((e.retry_conf ->> 'tolerance_seconds')::float8, 21600) * interval '1 second' as is_dead
  from engine_catalog.scheduled_events e
  where ${IS_DUE} and not e.webhook_conf::text = any ($3)
  order by coalesce(e.next_retry_at, e.scheduled_time)
  limit $1 for update of e skip locked
),
${keepsAlive('$2', 'due')}
update engine_catalog.scheduled_events e
set status = case when is_dead then 'dead' else 'locked' end, owner = case when not is_dead then $2::uuid end
from due
where e.id = due.id
returning e.id, ${time('e.scheduled_time')} as "scheduledTime", ${time('e.created_at')} as "createdAt", e.tries,
  e.webhook_conf::text as webhook, e.header_conf::text as headers, e.retry_conf::text as retry,
  e.payload::text as payload, e.comment, is_dead as "isDead"`;

// An event that is to be tried again, although another one was made for its time, has been superseded.
const settle = (events: string, logs: string, isSuperseded: string) => `
with outcome as materialized (
  select * from json_to_recordset($1::json) as o (
    id text, delivered boolean, retry_in float8, status integer, request json, response json
  )
),
held as materialized (
  select e.id from engine_catalog.${events} e
  where e.id in (select id from outcome) and e.owner = $2 and e.status = 'locked'
  order by e.id for update
),
logged as (
  insert into engine_catalog.${logs} (event_id, status, request, response)
  select o.id, o.status, o.request, o.response from held join outcome o using (id)
)
update engine_catalog.${events} e
set status = case
    when o.delivered then 'delivered'
    when o.retry_in is null then 'error'
    when ${isSuperseded} then 'dead'
    else 'scheduled'
  end,
  tries = e.tries + 1, owner = null,
  next_retry_at = case when o.retry_in is not null then now() + o.retry_in * interval '1 second' end
from held join outcome o using (id)
where e.id = held.id`;

const SETTLE = {
  cron_events: settle(
    'cron_events',
    'cron_event_invocation_logs',
    `exists (
      select from engine_catalog.cron_events n
      where n.trigger_name = e.trigger_name and n.scheduled_time = e.scheduled_time and n.status = 'scheduled'
    )`,
  ),
  scheduled_events: settle('scheduled_events', 'scheduled_event_invocation_logs', 'false'),
} as const;

/** @param triggers cron triggers that can be delivered now; undefined for one-off events */
export function createScheduledStore(
  query: QueueQuery,
  lease: Lease,
  triggers: (() => readonly Tolerance[]) | undefined,
): QueueStore<ScheduledJob, EventOutcome> {
  const table = triggers === undefined ? 'scheduled_events' : 'cron_events';
  const claim = (limit: number, full: readonly string[]) => {
    if (triggers === undefined) return query(CLAIM_ONE_OFF, [limit, lease.owner, full]);
    const able = triggers().filter(({ name }) => !full.includes(name));
    return query(CLAIM_CRON, [
      able.map(({ name }) => name),
      able.map(({ tolerance }) => tolerance),
      limit,
      lease.owner,
      able.map(({ missed }) => missed),
    ]);
  };
  /** Milliseconds until the next event of what was not left out is due. */
  const nextDue = async (full: readonly string[]) => {
    const isLeftOut = `${triggers === undefined ? 'webhook_conf::text' : 'trigger_name'} = any ($1)`;
    const [row] = await query(
      `select extract(epoch from min(coalesce(next_retry_at, scheduled_time)) - now())::float8 * 1000 as due
       from engine_catalog.${table}
       where status = 'scheduled' and not ${isLeftOut} ${triggers === undefined ? '' : 'and trigger_name = any ($2)'}`,
      triggers === undefined ? [full] : [full, triggers().map(({ name }) => name)],
    );
    return row?.due === null || row === undefined ? undefined : Math.max(0, row.due);
  };
  const store: QueueStore<ScheduledJob, EventOutcome> = {
    claim: async (limit, full) => {
      if (triggers !== undefined && triggers().length === 0) return { jobs: [], hasMore: false };
      const jobs = (await claim(limit, full)) as readonly ScheduledJob[];
      const sent = jobs.filter(({ isDead }) => !isDead);
      if (jobs.length > 0) return { jobs: sent, hasMore: true };
      return { jobs: sent, hasMore: false, nextDue: await nextDue(full) };
    },
    settle: async (outcomes) => {
      const rows = outcomes.map(
        ([{ id }, { isDelivered, retryIn, status, request, response }]) =>
          `{"id":${JSON.stringify(id)},"delivered":${isDelivered},"retry_in":${retryIn ?? null},` +
          `"status":${status},"request":${request},"response":${response}}`,
      );
      await query(SETTLE[table], [`[${rows.join(',')}]`, lease.owner]);
    },
    release: async (jobs) => {
      if (jobs.length === 0) return;
      await query(
        `update engine_catalog.${table} set status = 'scheduled', owner = null
         where id = any ($1) and owner = $2 and status = 'locked'`,
        [jobs.map(({ id }) => id), lease.owner],
      );
    },
  };
  const free = `update engine_catalog.${table} set status = 'scheduled', owner = null
    where id in (
      select id from engine_catalog.${table}
      where owner = $1 and status = 'locked' and not (id = any ($2)) order by id for update
    )`;
  return freeLostClaims(store, (held) => query(free, [lease.owner, held]));
}
