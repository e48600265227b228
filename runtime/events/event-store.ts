/** The queue of a source's events: `engine_catalog.event_log` in its database. */
import type { Lease, QueueQuery } from '../database/queue/lease.ts';
import { freeLostClaims } from '../database/queue/lost-claims.ts';
import type { QueueStore } from '../database/queue/worker.ts';
import type { Attempt } from './attempt.ts';
import { type Claimable, createClaim, type EventJob } from './claim.ts';

export interface EventOutcome extends Attempt {
  /** Seconds until the next attempt; undefined: no further attempt. */
  readonly retryIn?: number;
}

/** Outcome for events whose trigger is gone or waits. They are unlocked, and no attempt counts. */
export const NOT_SENT: EventOutcome = {
  isDelivered: false,
  isHopeless: false,
  status: null,
  request: 'null',
  response: 'null',
};

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

export function createEventStore(
  query: QueueQuery,
  lease: Lease,
  triggers: () => readonly Claimable[],
): QueueStore<EventJob, EventOutcome> {
  const claim = createClaim(query, lease.owner);
  const store: QueueStore<EventJob, EventOutcome> = {
    claim: async (limit, full) => {
      const able = triggers().filter(({ name, room = 1 }) => !full.includes(name) && room > 0);
      if (able.length === 0) return { jobs: [], hasMore: false };
      return claim(able, limit);
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
