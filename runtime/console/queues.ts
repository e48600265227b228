/** Queues of events, schedules and asynchronous actions: what waits, what failed, what comes next. */

import { describeConnectionError } from '../database/connection-error.ts';
import type { QueueQuery } from '../database/queue/lease.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { MetadataState, SourceDatabase } from '../metadata-api/change/state.ts';
import type { CallsAnswer, QueuesAnswer, ScheduledQueue, TriggerQueue } from './operator-questions.ts';

/** SQL: a time of the last day. Events have times without a zone, in that of the session. */
const RECENT = "localtimestamp - interval '24 hours'";

/** By trigger, of the names `$1`. An event made long ago may have failed just now, which its calls know. */
const TRIGGERS = `
with waiting as (
  select trigger_name, count(*) as pending, count(*) filter (where tries > 0) as retrying, min(created_at) as oldest
  from engine_catalog.event_log
  where trigger_name = any ($1) and not delivered and not error and not archived
  group by trigger_name
),
failing as (
  select trigger_name, count(*) as failed from engine_catalog.event_log e
  where trigger_name = any ($1) and error and not archived and (created_at > ${RECENT} or exists (
    select from engine_catalog.event_invocation_logs i where i.event_id = e.id and i.created_at > ${RECENT}
  ))
  group by trigger_name
)
select t.name, coalesce(pending, 0)::int as pending, coalesce(retrying, 0)::int as retrying,
  coalesce(failed, 0)::int as failed, to_json(oldest::timestamptz) #>> '{}' as oldest,
  exists (select from engine_catalog.paused_event_triggers p where p.trigger_name = t.name) as paused
from unnest($1::text[]) as t (name)
left join waiting w on w.trigger_name = t.name
left join failing f on f.trigger_name = t.name`;

/** SQL: the columns of a ScheduledQueue, of rows of cron or one-off events. */
const SCHEDULED = `
  count(*) filter (where status in ('scheduled', 'locked') and coalesce(next_retry_at, scheduled_time) <= now())::int as pending,
  count(*) filter (where status = 'scheduled' and tries > 0)::int as retrying,
  count(*) filter (where status in ('error', 'dead')
    and greatest(scheduled_time, created_at) > now() - interval '24 hours')::int as failed,
  (array_agg(to_json(scheduled_time) #>> '{}' order by scheduled_time)
    filter (where status = 'scheduled' and scheduled_time > now()))[1:3] as next`;

const CRONS = `select trigger_name as name, ${SCHEDULED} from engine_catalog.cron_events
where trigger_name = any ($1) group by trigger_name`;

const ONE_OFF = `select ${SCHEDULED} from engine_catalog.scheduled_events`;

const ACTIONS = `
select action_name as name, count(*) filter (where status in ('created', 'processing'))::int as pending,
  count(*) filter (where status = 'error' and response_received_at > now() - interval '24 hours')::int as failed
from engine_catalog.action_log where action_name = any ($1) group by action_name`;

/** Characters of an error that is shown whole: it holds what the call was sent, which may be megabytes. */
const MAX_ERROR = 20_000;

const CALLS = `
select id, status, to_json(created_at) #>> '{}' as "createdAt", to_json(response_received_at) #>> '{}' as "endedAt",
  case when length(errors::text) <= ${MAX_ERROR} then errors
    when errors is not null then jsonb_build_object('error', left(errors ->> 'error', ${MAX_ERROR}), 'code', errors ->> 'code',
      'internal', jsonb_build_object('error', left(errors #>> '{internal,error}', ${MAX_ERROR}),
        'cut', 'longer than ${MAX_ERROR} characters; a query of the action gives it whole')) end as errors
from engine_catalog.action_log where action_name = $1 order by created_at desc, id limit 100`;

/** The log of asynchronous actions is made with the first server that has one. */
const HAS_CALLS = "select to_regclass('engine_catalog.action_log') is not null as has";

/** Of a cron trigger without events. */
const NONE: ScheduledQueue = { pending: 0, retrying: 0, failed: 0, next: [] };

type Unread = QueuesAnswer['unread'][number];
type Database = Pick<SourceDatabase, 'withClient'>;

/** Milliseconds for a statement: counting a long log must not keep connections from the metadata API. */
const LIMIT = 5000;

/** Reads on one connection, in a transaction, because a setting of a session does not survive a pooler. */
function reading<Value>(database: Database, read: (query: QueueQuery) => Promise<Value>): Promise<Value> {
  return database.withClient(async (client) => {
    try {
      await client.query(`begin read only; set local statement_timeout = ${LIMIT}`);
      return await read(async (sql, values = []) => (await client.query(sql, [...values])).rows);
    } finally {
      await client.query('rollback').catch(() => {});
    }
  });
}

/** Reads every queue. A database that does not answer costs its own figures only. */
export async function queuesOf(
  { metadata, sources }: Pick<MetadataState<SourceDatabase>, 'metadata' | 'sources'>,
  store: Database,
): Promise<QueuesAnswer> {
  const unread: Unread[] = [];
  const orUnread = async <Value>(
    database: string,
    read: () => Promise<Value>,
  ): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      unread.push({ database, reason: describeConnectionError(error) });
      return undefined;
    }
  };
  const [triggers, rest] = await Promise.all([
    Promise.all(
      metadata.sources.map(async (source) => {
        const listed = triggersOf(source);
        if (listed.length === 0) return [];
        const database = sources.get(source.name)?.database;
        const found = await orUnread(source.name, () => readTriggers(database, listed));
        return listed.map((trigger) => ({ ...trigger, ...found?.get(trigger.name) }));
      }),
    ),
    orUnread('metadata', () => reading(store, (query) => readScheduled(metadata, query))),
  ]);
  const crons = metadata.cron_triggers.map(({ name, schedule, timezone }) => ({
    name,
    schedule,
    ...(timezone !== undefined && { timezone }),
    ...(rest && (rest.crons.get(name) ?? NONE)),
  }));
  return {
    triggers: triggers.flat(),
    crons,
    oneOff: rest?.oneOff ?? {},
    actions: asynchronousActions(metadata).map((name) => ({
      name,
      ...(rest && (rest.actions.get(name) ?? { pending: 0, failed: 0 })),
    })),
    unread,
  };
}

/** The last calls of an asynchronous action; undefined if there is no such action. */
export async function callsOf(
  metadata: Metadata,
  action: string,
  store: Database,
): Promise<CallsAnswer | undefined> {
  if (!asynchronousActions(metadata).includes(action)) return undefined;
  return reading(store, async (query) => {
    const [{ has }] = (await query(HAS_CALLS)) as [{ has: boolean }];
    return { action, calls: has ? ((await query(CALLS, [action])) as CallsAnswer['calls']) : [] };
  });
}

function asynchronousActions({ actions }: Metadata): readonly string[] {
  return actions.flatMap(({ name, definition }) => (definition.kind === 'asynchronous' ? [name] : []));
}

function triggersOf({ name: source, tables }: Metadata['sources'][number]): TriggerQueue[] {
  return tables.flatMap(({ table, event_triggers }) =>
    event_triggers.map(({ name }) => ({ source, table: `${table.schema}.${table.name}`, name })),
  );
}

type TriggerFigures = Omit<TriggerQueue, 'source' | 'table' | 'name'>;

/** @throws Error if the database does not answer */
async function readTriggers(
  database: Database | undefined,
  triggers: readonly TriggerQueue[],
): Promise<ReadonlyMap<string, TriggerFigures>> {
  if (!database) throw new Error('the source is not served');
  const rows = await reading(database, (query) => query(TRIGGERS, [triggers.map(({ name }) => name)]));
  return byName(rows, ({ paused, oldest, ...figures }) => ({
    ...figures,
    isPaused: paused,
    ...(oldest !== null && { oldest }),
  }));
}

async function readScheduled(metadata: Metadata, query: QueueQuery) {
  const actions = asynchronousActions(metadata);
  const crons = await query(CRONS, [metadata.cron_triggers.map(({ name }) => name)]);
  const oneOff = await query(ONE_OFF);
  const calls = actions.length > 0 && (await query(HAS_CALLS))[0].has ? await query(ACTIONS, [actions]) : [];
  return {
    crons: byName<ScheduledQueue>(crons, (row) => withList(row)),
    oneOff: withList(oneOff[0]),
    actions: byName(calls, ({ pending, failed }) => ({ pending, failed })),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: rows are as the statement says.
type Row = Readonly<Record<string, any>>;

function withList({ pending, retrying, failed, next }: Row): ScheduledQueue {
  return { pending, retrying, failed, next: next ?? [] };
}

function byName<Figures>(
  rows: readonly Row[],
  figuresOf: (row: Row) => Figures,
): ReadonlyMap<string, Figures> {
  return new Map(rows.map(({ name, ...row }) => [name, figuresOf(row)]));
}
