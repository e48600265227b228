/** The queue of a source's events: `engine_catalog.event_log` in its database. */
import { isOwned, type Lease, type QueueQuery } from '../queue/lease.ts';
import type { QueueStore } from '../queue/worker.ts';
import type { Attempt } from './attempt.ts';

/** An event as it is claimed; JSON parts are the texts that Postgres wrote, so numbers keep their digits. */
export interface EventJob {
  readonly id: string;
  readonly trigger: string;
  /** JSON text: `{op, data, session_variables, trace_context}`. */
  readonly payload: string;
  /** JSON text of a time. */
  readonly createdAt: string;
  /** JSON text: `{schema, name}`. */
  readonly table: string;
  /** Attempts before this one. */
  readonly tries: number;
  /** JSON text or null: `{trace_id, span_id}`. */
  readonly trace: string | null;
  /** Seconds since the event was made or, where it is tried again, since it was due. */
  readonly due: number;
}

export interface EventOutcome extends Attempt {
  /** Seconds until the next attempt; undefined when there is none. */
  readonly retryIn?: number;
}

/** The event's trigger is gone, or waits: it is unlocked, and no attempt counts. */
export const NOT_SENT: EventOutcome = {
  isDelivered: false,
  isHopeless: false,
  status: null,
  request: 'null',
  response: 'null',
};

/** Rows that an instance holds, alive; a lock without owner comes from elsewhere and holds for 30 minutes. */
export const IS_TAKEN = `case
  when e.locked is null then false
  when e.owner is null then e.locked > now() - interval '30 minutes'
  else ${isOwned('e.owner')}
end`;

const IS_PENDING = 'e.delivered = false and e.error = false and e.archived = false';

// An event waits for earlier ones with its key, where the trigger ($2) asks for their order.
const IS_TURN = `(e.key is null or t.ordering = 'none' or not exists (
  select from engine_catalog.event_log p
  where p.trigger_name = e.trigger_name and p.key = e.key and p.seq < e.seq and not p.delivered and not p.archived
    and (t.ordering = 'block' or not p.error)
))`;

const IS_DUE = `e.trigger_name = t.name and ${IS_PENDING}
      and (e.next_retry_at is null or e.next_retry_at <= now()) and not ${IS_TAKEN} and ${IS_TURN}`;

// For each trigger its oldest due events, with an equal share of the batch; then the oldest of all up to the limit.
const CLAIM = `
with due as materialized (
  select d.id, d.seq
  from unnest($1::text[], $2::text[], $3::integer[]) as t (name, ordering, room)
  cross join lateral (
    select e.id, e.seq
    from engine_catalog.event_log e
    where ${IS_DUE}
    order by e.next_retry_at nulls first, e.seq
    limit t.room
    for update of e skip locked
  ) d
),
mine as materialized (select id from due order by seq limit $4)
update engine_catalog.event_log e
set locked = now(), owner = $5
from mine
where e.id = mine.id
returning e.id, e.trigger_name as trigger, e.payload::text as payload, to_json(e.created_at)::text as "createdAt",
  json_build_object('schema', e.schema_name, 'name', e.table_name)::text as table, e.tries,
  (e.payload -> 'trace_context')::text as trace, extract(epoch from now() - coalesce(e.next_retry_at, e.created_at))::float8 as due, e.seq`;

const NEXT_DUE = `
select extract(epoch from min(e.next_retry_at) - localtimestamp)::float8 * 1000 as due
from engine_catalog.event_log e
where ${IS_PENDING} and e.trigger_name = any ($1) and e.locked is null and e.next_retry_at is not null`;

// Rows are locked in the order of their ids, so that statements of several instances cannot wait for each other.
const SETTLE = `
with outcome as materialized (
  select * from json_to_recordset($1::json) as o (
    id text, delivered boolean, error boolean, retry_in float8, status integer, request json, response json
  )
),
held as materialized (
  select e.id from engine_catalog.event_log e
  where e.id in (select id from outcome) and e.owner = $2
  order by e.id for update
),
logged as (
  insert into engine_catalog.event_invocation_logs (trigger_name, event_id, status, request, response)
  select e.trigger_name, o.id, o.status, o.request, o.response
  from held join outcome o using (id) join engine_catalog.event_log e using (id)
)
update engine_catalog.event_log e
set delivered = o.delivered, error = o.error, tries = e.tries + 1, locked = null, owner = null,
  next_retry_at = case when o.retry_in is not null then localtimestamp + o.retry_in * interval '1 second' end
from held join outcome o using (id)
where e.id = held.id`;

const RELEASE = `
update engine_catalog.event_log set locked = null, owner = null
where id in (
  select id from engine_catalog.event_log where id = any ($1) and owner = $2 order by id for update
)`;

/** A trigger whose events can be delivered now. */
export interface Claimable {
  readonly name: string;
  readonly ordering: 'none' | 'block' | 'skip';
  /** Maximum number of events to claim; unlimited unless given. */
  readonly room?: number;
}

export function createEventStore(
  query: QueueQuery,
  lease: Lease,
  triggers: () => readonly Claimable[],
): QueueStore<EventJob, EventOutcome> {
  return {
    claim: async (limit, full) => {
      const able = triggers().filter(({ name, room = 1 }) => !full.includes(name) && room > 0);
      if (able.length === 0) return [];
      await lease.ready();
      // The share counts triggers that have something to do: with one of a hundred at work, it gets the whole batch.
      const found = await query(ACTIVE, [able.map(({ name }) => name), able.map(({ ordering }) => ordering)]);
      if (found.length === 0) return [];
      const names = new Set(found.map(({ name }) => name));
      const active = able.filter(({ name }) => names.has(name));
      const share = Math.ceil(limit / active.length);
      const rows = await query(CLAIM, [
        active.map(({ name }) => name),
        active.map(({ ordering }) => ordering),
        active.map(({ room = share }) => Math.min(room, share)),
        limit,
        lease.owner,
      ]);
      return [...rows].sort((left, right) => Number(left.seq) - Number(right.seq)) as EventJob[];
    },
    settle: async (all) => {
      const outcomes = all.filter(([, outcome]) => outcome !== NOT_SENT);
      const unsent = all.filter(([, outcome]) => outcome === NOT_SENT).map(([{ id }]) => id);
      if (unsent.length > 0) await query(RELEASE, [unsent, lease.owner]);
      if (outcomes.length === 0) return;
      const rows = outcomes.map(
        ([{ id }, { isDelivered, retryIn, status, request, response }]) =>
          `{"id":${JSON.stringify(id)},"delivered":${isDelivered},"error":${!isDelivered && retryIn === undefined},` +
          `"retry_in":${retryIn ?? null},"status":${status},"request":${request},"response":${response}}`,
      );
      await query(SETTLE, [`[${rows.join(',')}]`, lease.owner]);
    },
    release: async (jobs) => {
      if (jobs.length > 0) await query(RELEASE, [jobs.map(({ id }) => id), lease.owner]);
    },
    nextDue: async () => {
      const [row] = await query(NEXT_DUE, [triggers().map(({ name }) => name)]);
      return row?.due === null || row === undefined ? undefined : Math.max(0, row.due);
    },
  };
}

const ACTIVE = `
select t.name
from unnest($1::text[], $2::text[]) as t (name, ordering)
where exists (select from engine_catalog.event_log e where ${IS_DUE})
  and not exists (select from engine_catalog.paused_event_triggers p where p.trigger_name = t.name)`;
