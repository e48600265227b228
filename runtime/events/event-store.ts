/** The queue of a source's events: `engine_catalog.event_log` in its database. */
import { isOwned, type Lease, type QueueQuery } from '../queue/lease.ts';
import { freeLostClaims } from '../queue/lost-claims.ts';
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
  /** JSON text or null: `{trace_id, span_id, sampling_state}`. */
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

const IS_FREE = `e.trigger_name = t.name and ${IS_PENDING} and not ${IS_TAKEN} and ${IS_TURN}`;

// The share counts triggers that have something to do: with one of a hundred at work, it gets the whole batch. Retries that are
// due get a quarter of a share, before events that were never tried: so a flood of these does not hold them up.
const CLAIM = `
with active as materialized (
  select t.*, least(t.room, ceil($4 / count(*) over ()))::integer as share
  from unnest($1::text[], $2::text[], $3::float8[]) as t (name, ordering, room)
  where exists (
      select from engine_catalog.event_log e
      where ${IS_FREE} and (e.next_retry_at is null or e.next_retry_at <= localtimestamp)
    )
    and not exists (select from engine_catalog.paused_event_triggers p where p.trigger_name = t.name)
),
retries as materialized (
  select t.name, d.*
  from active t
  cross join lateral (
    select e.id, e.seq
    from engine_catalog.event_log e
    where ${IS_FREE} and e.next_retry_at <= localtimestamp
    order by e.next_retry_at
    limit ceil(t.share / 4.0)
    for update of e skip locked
  ) d
),
fresh as materialized (
  select t.name, d.*
  from active t
  cross join lateral (
    select e.id, e.seq
    from engine_catalog.event_log e
    where ${IS_FREE} and e.next_retry_at is null
    order by e.seq
    limit t.share - (select count(*) from retries r where r.name = t.name)
    for update of e skip locked
  ) d
),
mine as materialized (
  select id from (select id, seq from retries union all select id, seq from fresh) found order by seq limit $4
),
taken as (
  update engine_catalog.event_log e
  set locked = now(), owner = $5
  from mine
  where e.id = mine.id
  returning e.id, e.trigger_name as trigger, e.payload::text as payload, to_json(e.created_at)::text as "createdAt",
    json_build_object('schema', e.schema_name, 'name', e.table_name)::text as table, e.tries,
    (e.payload -> 'trace_context')::text as trace,
    extract(epoch from now() - coalesce(e.next_retry_at, e.created_at))::float8 as due, e.seq
)
select taken.*,
  (
    select bool_or(r.count >= ceil(t.share / 4.0) or r.count + f.count >= t.share)
    from active t
    cross join lateral (select count(*) from retries r where r.name = t.name) r
    cross join lateral (select count(*) from fresh f where f.name = t.name) f
  ) as "hasMore",
  (
    select extract(epoch from min(later.at) - localtimestamp)::float8 * 1000
    from unnest($1::text[]) as t (name)
    cross join lateral (
      select e.next_retry_at as at from engine_catalog.event_log e
      where e.trigger_name = t.name and ${IS_PENDING} and e.locked is null and e.next_retry_at > localtimestamp
      order by e.next_retry_at limit 1
    ) later
  ) as "nextDue"
from (values (1)) one (n) left join taken on true
order by taken.seq`;

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

const FREE = `
update engine_catalog.event_log set locked = null, owner = null
where id in (
  select id from engine_catalog.event_log
  where owner = $1 and locked is not null and not delivered and not error and not (id = any ($2)) order by id for update
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
  const store: QueueStore<EventJob, EventOutcome> = {
    claim: async (limit, full) => {
      const able = triggers().filter(({ name, room = 1 }) => !full.includes(name) && room > 0);
      if (able.length === 0) return { jobs: [], hasMore: false };
      await lease.ready();
      const rows = await query(CLAIM, [
        able.map(({ name }) => name),
        able.map(({ ordering }) => ordering),
        able.map(({ room = limit }) => room),
        limit,
        lease.owner,
      ]);
      const [{ hasMore, nextDue }] = rows as readonly [{ hasMore: boolean | null; nextDue: number | null }];
      return {
        jobs: rows.filter(({ id }) => id !== null) as EventJob[],
        hasMore: hasMore ?? false,
        nextDue: nextDue ?? undefined,
      };
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
  };
  return freeLostClaims(store, (held) => query(FREE, [lease.owner, held]));
}
