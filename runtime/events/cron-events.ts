/** Events of cron triggers, made ahead in the metadata database, by its clock. */
import { nextTimes } from '../core/schedule/cron.ts';
import type { QueueQuery } from '../database/queue/lease.ts';

/** Events made at a time, and kept waiting for each trigger. */
const AHEAD = 100;

interface Scheduled {
  readonly name: string;
  /** Cron expression. */
  readonly schedule: string;
  /** UTC unless given. */
  readonly timezone?: string | undefined;
}

/**
 * SQL: names and schedules of the cron triggers that are served, in the stored metadata, locked against a change until events
 * are made for them.
 */
const STORED_METADATA = `
  select kept ->> 'name' as name, concat_ws(' ', kept ->> 'schedule', kept ->> 'timezone') as schedule
  from (select definition from engine_catalog.metadata_head for share) stored,
    json_array_elements(definition -> 'cron_triggers') as kept`;

/** A schedule with its time zone, as it is compared with what is stored. */
export function scheduleText({ schedule, timezone }: Omit<Scheduled, 'name'>): string {
  return timezone === undefined ? schedule : `${schedule} ${timezone}`;
}

/** Makes the events of triggers that are new or changed, in place of those that were made for an earlier definition. */
export async function scheduleAnew(
  query: QueueQuery,
  triggers: readonly Scheduled[],
  stored = STORED_METADATA,
): Promise<void> {
  if (triggers.length === 0) return;
  await deleteWaiting(
    query,
    triggers.map(({ name }) => name),
    'future',
  );
  await scheduleAhead(query, triggers, stored);
}

/** Deletes waiting events: all of them, or those of the future that no attempt was made for. Finished ones stay. */
export async function deleteWaiting(
  query: QueueQuery,
  names: readonly string[],
  which: 'all' | 'future',
): Promise<void> {
  if (names.length === 0) return;
  const future = which === 'all' ? '' : 'and tries = 0 and scheduled_time > now()';
  await query(
    `delete from engine_catalog.cron_events where trigger_name = any ($1) and status = 'scheduled' ${future}`,
    [names],
  );
}

/**
 * Tops up the events of triggers that have fewer than are kept waiting. Instances may do so at the same time. One that has not
 * heard of a change yet makes none: events are made while what is stored, locked, has the schedule they were made for.
 * @param stored SQL for names and schedules of the triggers as they are stored
 */
export async function scheduleAhead(
  query: QueueQuery,
  triggers: readonly Scheduled[],
  stored = STORED_METADATA,
): Promise<void> {
  if (triggers.length === 0) return;
  const rows = await query(
    `select t.name, extract(epoch from now())::float8 * 1000 as now, count(e.id)::integer as waiting,
       extract(epoch from max(e.scheduled_time))::float8 * 1000 as latest
     from unnest($1::text[]) as t (name)
     left join engine_catalog.cron_events e
       on e.trigger_name = t.name and e.status = 'scheduled' and e.tries = 0 and e.scheduled_time > now()
     group by t.name`,
    [triggers.map(({ name }) => name)],
  );
  const known = new Map(triggers.map((trigger) => [trigger.name, trigger]));
  const due = rows.flatMap(({ name, now, waiting, latest }) => {
    if (waiting >= AHEAD) return [];
    const { schedule, timezone } = known.get(name)!;
    return nextTimes(schedule, latest ?? now, AHEAD, timezone).map((time) => ({
      name: name as string,
      time: new Date(time).toISOString(),
    }));
  });
  if (due.length === 0) return;
  await query(
    `with stored as materialized (${stored})
     insert into engine_catalog.cron_events (trigger_name, scheduled_time)
     select name, time::timestamptz from unnest($1::text[], $2::text[], $3::text[]) as due (name, schedule, time)
     where (name, schedule) in (select name, schedule from stored)
     on conflict (trigger_name, scheduled_time) where status = 'scheduled' do nothing`,
    [
      due.map(({ name }) => name),
      due.map(({ name }) => scheduleText(known.get(name)!)),
      due.map(({ time }) => time),
    ],
  );
}
