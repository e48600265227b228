/**
 * Deletes events that are finished with: by the schedules of `cleanup_config`, and on request. Runs are planned in
 * `engine_catalog.event_log_cleanups`, by the database's clock, so that of several instances one carries each out.
 */

import type { CleanupShape } from '../core/contract/events.ts';
import { nextTimes } from '../core/schedule/cron.ts';
import { inTransaction, type QueryClient } from '../database/query-client.ts';
import type { QueueQuery } from '../database/queue/lease.ts';

/** Runs that are planned when fewer than `FEW` are left. */
const AHEAD = 50;
const FEW = 5;

/** Events to delete: `CleanupShape` without its schedule. */
export type Deletion = Pick<CleanupShape, 'olderThan' | 'batchSize' | 'timeout' | 'invocations'>;

export interface Deleted {
  readonly events: number;
  readonly invocations: number;
}

/** Runs `use` on a dedicated connection, for statements that take long. */
export type WithClient = <Result>(use: (client: QueryClient) => Promise<Result>) => Promise<Result>;

// In the order of ids, as every statement that locks several events, so that they do not wait for each other.
const DELETE_BATCH = `
with old as materialized (
  select id from engine_catalog.event_log
  where trigger_name = $1 and (delivered or error or archived) and locked is null
    and created_at < localtimestamp - $2 * interval '1 hour'
  order by id limit $3 for update skip locked
),
calls as (
  delete from engine_catalog.event_invocation_logs where $4 and event_id in (select id from old) returning 1
),
events as (
  delete from engine_catalog.event_log where id in (select id from old) returning 1
)
select (select count(*) from events)::integer as events, (select count(*) from calls)::integer as invocations`;

/** Deletes old events of a trigger in batches, one transaction each. */
export async function deleteOldEvents(
  withClient: WithClient,
  trigger: string,
  { olderThan, batchSize, timeout, invocations }: Deletion,
  isStopped: () => boolean = () => false,
): Promise<Deleted> {
  const deleted = { events: 0, invocations: 0 };
  while (!isStopped()) {
    const batch = await withClient((client) =>
      inTransaction(client, 'begin isolation level read committed read write', async () => {
        await client.query("select pg_catalog.set_config('statement_timeout', $1, true)", [
          `${timeout * 1000}`,
        ]);
        const { rows } = await client.query(DELETE_BATCH, [trigger, olderThan, batchSize, invocations]);
        return rows[0] as Deleted;
      }),
    );
    deleted.events += batch.events;
    deleted.invocations += batch.invocations;
    if (batch.events < batchSize || batchSize === 0) break;
  }
  return deleted;
}

// Runs of an earlier schedule are deleted; `$2` holds the next times of this one.
const PLAN = `
with gone as (
  delete from engine_catalog.event_log_cleanups
  where trigger_name = $1 and status in ('scheduled', 'paused') and scheduled_at > timezone('utc', now())
    and not scheduled_at = any ($2::timestamp[])
)
insert into engine_catalog.event_log_cleanups (trigger_name, scheduled_at, status)
select $1, due, 'scheduled' from unnest($2::timestamp[]) as due
on conflict (trigger_name, scheduled_at) do nothing`;

const SET_PAUSED = `
update engine_catalog.event_log_cleanups set status = case when $2 then 'paused' else 'scheduled' end
where trigger_name = $1 and status = case when $2 then 'scheduled' else 'paused' end`;

// Of several runs that are due only the last is carried out.
const CLAIM = `
with due as materialized (
  select id, scheduled_at from engine_catalog.event_log_cleanups
  where trigger_name = $1 and status = 'scheduled' and scheduled_at <= timezone('utc', now())
  order by id for update skip locked
)
update engine_catalog.event_log_cleanups c
set status = case when due.scheduled_at = (select max(scheduled_at) from due) then 'completed' else 'dead' end
from due where c.id = due.id
returning c.id, c.status`;

const FINISH = `
update engine_catalog.event_log_cleanups set deleted_event_logs = $2, deleted_event_invocation_logs = $3 where id = $1`;

export interface Cleanable {
  readonly name: string;
  readonly cleanup?: CleanupShape;
}

/** Plans the runs of triggers, and carries out those that are due. */
export async function cleanUp(
  query: QueueQuery,
  withClient: WithClient,
  triggers: readonly Cleanable[],
  isStopped: () => boolean = () => false,
): Promise<void> {
  for (const { name, cleanup } of triggers) {
    if (cleanup === undefined || isStopped()) continue;
    await plan(query, name, cleanup);
    await query(SET_PAUSED, [name, cleanup.paused]);
    if (cleanup.paused) continue;
    const claimed = await query(CLAIM, [name]);
    const run = claimed.find(({ status }) => status === 'completed');
    if (run === undefined) continue;
    const { events, invocations } = await deleteOldEvents(withClient, name, cleanup, isStopped);
    await query(FINISH, [run.id, events, invocations]);
  }
}

async function plan(query: QueueQuery, name: string, { schedule }: CleanupShape): Promise<void> {
  const [row] = await query(
    `select extract(epoch from now())::float8 * 1000 as now,
       coalesce(array_agg(extract(epoch from timezone('utc', scheduled_at))::float8 * 1000), '{}') as planned
     from engine_catalog.event_log_cleanups
     where trigger_name = $1 and status in ('scheduled', 'paused') and scheduled_at > timezone('utc', now())`,
    [name],
  );
  const { now, planned } = row as { now: number; planned: readonly number[] };
  const times = nextTimes(schedule, now, AHEAD);
  const wanted = new Set(times);
  if (planned.length >= Math.min(FEW, times.length) && planned.every((time) => wanted.has(time))) return;
  // As UTC without a zone.
  const due = times.map((time) => new Date(time).toISOString().slice(0, -1));
  await query(PLAN, [name, due]);
}

/** Bytes of the tables of events. */
export async function tableSize(query: QueueQuery): Promise<number> {
  const [row] = await query(
    `select (pg_total_relation_size('engine_catalog.event_log')
       + pg_total_relation_size('engine_catalog.event_invocation_logs'))::float8 as size`,
  );
  return row!.size;
}

/** Bytes of the tables of events that are reported first. */
const LARGE = 2 ** 30;

/** Reports the size of the tables of events when it is a gigabyte, and again at each doubling. */
export function createGrowthReport(report: (message: string) => void): (size: number) => void {
  let next = LARGE;
  return (size) => {
    if (size < next) return;
    next = 2 * size;
    const megabytes = Math.round(size / 2 ** 20);
    report(`the tables of events in engine_catalog take ${megabytes} MB: cleanup_config deletes old events`);
  };
}
