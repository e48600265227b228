/** Takes due events out of a source's queue, fairly over its triggers. */
import { isOwned, keepsAlive, type QueueQuery } from '../database/queue/lease.ts';
import type { Claimed } from '../database/queue/worker.ts';
import { createPassed, type Look } from './passed.ts';

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

/** A trigger whose events can be delivered now. */
export interface Claimable {
  readonly name: string;
  readonly ordering: 'none' | 'block' | 'skip';
  /** Maximum number of events to claim; unlimited unless given. */
  readonly room?: number;
}

/** Rows that an instance holds, alive; a lock without owner comes from elsewhere and holds for 30 minutes. */
export const IS_TAKEN = `case
  when e.locked is null then false
  when e.owner is null then e.locked > now() - interval '30 minutes'
  else ${isOwned('e.owner')}
end`;

const IS_PENDING = 'e.delivered = false and e.error = false and e.archived = false';

// An event waits for earlier ones with its key, where the trigger asks for their order.
const IS_TURN = `(e.key is null or t.ordering = 'none' or not exists (
  select from engine_catalog.event_log p
  where p.trigger_name = e.trigger_name and p.key = e.key and p.seq < e.seq and not p.delivered and not p.archived
    and (t.ordering = 'block' or not p.error)
))`;

const IS_FREE = `e.trigger_name = t.name and ${IS_PENDING} and not ${IS_TAKEN} and ${IS_TURN}`;

// The index event_log_fetch_by_trigger has its entries in this order; any other would sort everything that waits.
const IN_ORDER = 'order by e.next_retry_at nulls first, e.seq';

const FRESH = `select e.id, e.seq from engine_catalog.event_log e
    where ${IS_FREE} and e.next_retry_at is null and e.seq > t.passed ${IN_ORDER}`;
const RETRIES = `select e.id, e.seq from engine_catalog.event_log e
    where ${IS_FREE} and e.next_retry_at <= localtimestamp ${IN_ORDER}`;

// The share counts triggers that have something to do: with one of a hundred at work, it gets the whole batch. Retries that are
// due get a quarter of a share, before events that were never tried: so a flood of these does not hold them up.
const CLAIM = `
with asked as materialized (
  select * from unnest($1::text[], $2::text[], $3::float8[], $6::bigint[]) as t (name, ordering, room, passed)
),
active as materialized (
  select t.*, least(t.room, ceil($4 / count(*) over ()))::integer as share
  from asked t
  where not exists (select from engine_catalog.paused_event_triggers p where p.trigger_name = t.name)
    and ((select f.seq from (${FRESH} limit 1) f) is not null or (select r.seq from (${RETRIES} limit 1) r) is not null)
),
retries as materialized (
  select t.name, d.*
  from active t
  cross join lateral (${RETRIES} limit ceil(t.share / 4.0) for update of e skip locked) d
),
fresh as materialized (
  select t.name, d.*
  from active t
  cross join lateral (
    ${FRESH}
    limit t.share - (select count(*) from retries r where r.name = t.name)
    for update of e skip locked
  ) d
),
mine as materialized (
  select id from (select id, seq from retries union all select id, seq from fresh) found order by seq limit $4
),
${keepsAlive('$5', 'mine')},
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
    from asked t
    cross join lateral (
      select e.next_retry_at as at from engine_catalog.event_log e
      where e.trigger_name = t.name and ${IS_PENDING} and e.locked is null and e.next_retry_at > localtimestamp
      ${IN_ORDER} limit 1
    ) later
  ) as "nextDue",
  case when taken.seq is not distinct from (select min(seq) from taken) then json_build_object(
    'first', (
      select json_object_agg(t.name, (
        select e.seq from engine_catalog.event_log e
        where e.trigger_name = t.name and ${IS_PENDING} and e.next_retry_at is null and e.seq > t.passed ${IN_ORDER} limit 1
      ))
      from asked t
    ),
    'last', (select case when is_called then last_value else 0 end from engine_catalog.event_log_seq_seq),
    'xmin', pg_snapshot_xmin(pg_current_snapshot())::text::float8,
    'xmax', pg_snapshot_xmax(pg_current_snapshot())::text::float8,
    'milliseconds', extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000
  ) end as look
from (values (1)) one (n) left join taken on true
order by taken.seq`;

/** Claims up to a number of events of some triggers for an instance. */
export function createClaim(query: QueueQuery, owner: string) {
  const passed = createPassed();
  return async (triggers: readonly Claimable[], limit: number): Promise<Claimed<EventJob>> => {
    const bounds = passed.next(triggers.map(({ name }) => name));
    const rows = await query(CLAIM, [
      triggers.map(({ name }) => name),
      triggers.map(({ ordering }) => ordering),
      triggers.map(({ room = limit }) => room),
      limit,
      owner,
      bounds,
    ]);
    const [{ hasMore, nextDue, look }] = rows as readonly [
      { hasMore: boolean | null; nextDue: number | null; look: Look },
    ];
    passed.looked(look);
    return {
      jobs: rows.filter(({ id }) => id !== null) as EventJob[],
      hasMore: hasMore ?? false,
      nextDue: nextDue ?? undefined,
    };
  };
}
