/**
 * Cron triggers of a server without metadata: a compiled folder or an artefact. Their schedules and events are kept in the
 * metadata database, or else in the one of the source "default", so that several instances make each event once.
 */
import type { CronTriggerShape } from '../core/contract/events.ts';
import { createOwnTables } from '../database/own-objects.ts';
import { openPool } from '../database/own-tables.ts';
import type { QueueQuery } from '../database/queue/lease.ts';
import { deleteWaiting, scheduleAnew, scheduleText } from './cron-events.ts';
import type { EventsContext } from './delivery.ts';
import { deliverScheduled, type ScheduledDelivery } from './scheduled-delivery.ts';
import { SCHEDULED_TABLES } from './scheduled-schema.ts';

const NAME = 'cron';

/** Milliseconds between attempts to reach the database. */
const RETRY = 5_000;

// One text is one transaction, so instances that start at the same time take turns. The number is arbitrary.
const TABLES = `select pg_catalog.pg_advisory_xact_lock(7264021);
${SCHEDULED_TABLES}
create table if not exists engine_catalog.compiled_cron_triggers (
  name text primary key,
  schedule text not null
);`;

const STORED_COMPILED = 'select name, schedule from engine_catalog.compiled_cron_triggers for share';

// The server that starts last decides: those that run an earlier program make no more events of what has changed.
const STORE = `
with own as materialized (select * from unnest($1::text[], $2::text[]) as t (name, schedule)),
gone as (
  delete from engine_catalog.compiled_cron_triggers where name not in (select name from own) returning name
),
kept as (
  insert into engine_catalog.compiled_cron_triggers as c (name, schedule) select name, schedule from own
  on conflict (name) do update set schedule = excluded.schedule where c.schedule <> excluded.schedule
  returning name
)
select array(select name from gone) as gone, array(select name from kept) as changed`;

export interface CompiledCron {
  /** @param grace milliseconds to wait for running calls */
  stop(grace: number): Promise<void>;
}

/** Delivers cron triggers until it is stopped. A database that does not answer is tried again. */
export function deliverCompiledCron(
  triggers: readonly CronTriggerShape[],
  databaseUrl: string | undefined,
  context: EventsContext,
): CompiledCron {
  const { observe } = context;
  if (triggers.length === 0 || context.configuration.disableEventing) return { stop: async () => {} };
  if (databaseUrl === undefined) {
    const message = 'cron triggers are not delivered: set metadata-database-url or database-url';
    observe({ kind: 'event-delivery', level: 'warn', message });
    return { stop: async () => {} };
  }
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let started: { readonly delivery: ScheduledDelivery; readonly close: () => Promise<void> } | undefined;
  const start = async () => {
    const pool = await openPool({ connectionString: databaseUrl }, NAME, (client) =>
      createOwnTables(client, TABLES),
    );
    if (isStopped) return pool.end();
    const query: QueueQuery = async (sql, values = []) => (await pool.query(sql, [...values])).rows;
    try {
      await store(query, triggers);
      const delivery = deliverScheduled(query, context, STORED_COMPILED);
      delivery.use(triggers);
      started = { delivery, close: () => pool.end() };
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
  const attempt = (): Promise<void> =>
    start().catch((error: unknown) => {
      const message = 'Cron triggers wait: their database does not answer.';
      observe({ kind: 'event-delivery', level: 'warn', message, error });
      if (!isStopped) timer = setTimeout(() => (starting = attempt()), RETRY).unref();
    });
  let starting = attempt();
  return {
    stop: async (grace) => {
      isStopped = true;
      clearTimeout(timer);
      await starting;
      await started?.delivery.stop(grace);
      await started?.close();
    },
  };
}

async function store(query: QueueQuery, triggers: readonly CronTriggerShape[]): Promise<void> {
  const [row] = await query(STORE, [triggers.map(({ name }) => name), triggers.map(scheduleText)]);
  const { gone, changed } = row as { gone: readonly string[]; changed: readonly string[] };
  await deleteWaiting(query, gone, 'all');
  await scheduleAnew(
    query,
    triggers.filter(({ name }) => changed.includes(name)),
    STORED_COMPILED,
  );
}
