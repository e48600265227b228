/** Old events are deleted: by schedule, on request, and what is not finished stays. */
import { expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';

const events = openEventsTest('create table item (id serial primary key, name text)');

/** Makes events of a trigger by hand: how old (hours), what state. */
async function make(
  trigger: string,
  rows: readonly (readonly [hours: number, state: string])[],
): Promise<void> {
  for (const [hours, state] of rows)
    await events.database.query(
      `with made as (
         insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload, created_at, ${state})
         values ('public', 'item', $1, '{}', localtimestamp - $2 * interval '1 hour', true) returning id
       )
       insert into engine_catalog.event_invocation_logs (event_id, trigger_name, status) select id, $1, 200 from made`,
      [trigger, hours],
    );
}

async function left(trigger: string): Promise<{ events: number; calls: number }> {
  const [row] = await events.database.query(
    `select (select count(*)::integer from engine_catalog.event_log where trigger_name = $1) as events,
       (select count(*)::integer from engine_catalog.event_invocation_logs where trigger_name = $1) as calls`,
    [trigger],
  );
  return row as { events: number; calls: number };
}

const insert = { columns: '*' };

test('on request: finished events that are old enough, in batches, with their calls if asked', async () => {
  await events.trigger('asked', { insert }, async () => {
    await make('asked', [
      [5, 'delivered'],
      [4, 'error'],
      [4, 'archived'],
      [1, 'delivered'],
      [3, 'delivered'],
    ]);
    // Old, but waiting: it is kept. Its trigger is paused, so that nobody sends it.
    await events.metadata('pg_pause_event_trigger', { name: 'asked' });
    await events.database.query(
      `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload, created_at)
       values ('public', 'item', 'asked', '{}', localtimestamp - interval '9 hours')`,
    );
    const args = { event_trigger_name: 'asked', clear_older_than: 2, batch_size: 1 };
    await events.metadata('pg_cleanup_event_trigger_logs', args);
    expect(await left('asked')).toEqual({ events: 2, calls: 5 });
    await make('asked', [[3, 'delivered']]);
    await events.metadata('cleanup_event_trigger_logs', { ...args, clean_invocation_logs: true });
    expect(await left('asked')).toEqual({ events: 2, calls: 5 });
  });
  expect(
    (await events.request('pg_cleanup_event_trigger_logs', { event_trigger_name: 'x', clear_older_than: 1 }))
      .json,
  ).toMatchObject({ code: 'not-exists' });
});

const runs = async (trigger: string) =>
  events.database.query<{ status: string; planned: number; logs: number | null }>(
    `select status, count(*)::integer as planned, max(deleted_event_logs) as logs
     from engine_catalog.event_log_cleanups where trigger_name = $1 group by status order by status`,
    [trigger],
  );

test('by schedule: runs are planned ahead, the last that is due is carried out', async () => {
  const cleanup_config = { schedule: '0 0 1 1 *', clear_older_than: 2, clean_invocation_logs: true };
  await events.trigger('planned', { insert, cleanup_config }, async () => {
    await expect.poll(() => runs('planned')).toEqual([{ status: 'scheduled', planned: 50, logs: null }]);
    await make('planned', [
      [3, 'delivered'],
      [1, 'delivered'],
    ]);
    await events.database.query(
      `insert into engine_catalog.event_log_cleanups (trigger_name, scheduled_at, status)
       select 'planned', timezone('utc', now()) - n * interval '1 day', 'scheduled' from generate_series(1, 3) n`,
    );
    // A change is looked at when it is made; otherwise once a minute.
    const change = (more: object) =>
      events.metadata('pg_create_event_trigger', {
        name: 'planned',
        table: 'item',
        webhook: events.webhook.url,
        insert,
        cleanup_config: { ...cleanup_config, ...more },
        replace: true,
      });
    await change({ schedule: '0 0 2 1 *' });
    await expect
      .poll(() => runs('planned'))
      .toEqual([
        { status: 'completed', planned: 1, logs: 1 },
        { status: 'dead', planned: 2, logs: null },
        { status: 'scheduled', planned: 50, logs: null },
      ]);
    expect(await left('planned')).toEqual({ events: 1, calls: 1 });
    const [{ days }] = (await events.database.query(
      `select array_agg(distinct extract(day from scheduled_at)::integer) as days
       from engine_catalog.event_log_cleanups where trigger_name = 'planned' and status = 'scheduled'`,
    )) as [{ days: number[] }];
    expect(days).toEqual([2]);
  });
});

test('clean-ups are paused and resumed', async () => {
  const cleanup_config = { schedule: '0 0 1 1 *', clear_older_than: 2 };
  await events.trigger('halted', { insert, cleanup_config }, async () => {
    const paused = async () => {
      const { sources } = await events.metadata('export_metadata', {});
      return sources[0].tables[0].event_triggers[0].cleanup_config.paused ?? false;
    };
    await events.metadata('pause_event_trigger_cleanups', { event_triggers: { sources: '*' } });
    expect(await paused()).toBe(true);
    await expect.poll(() => runs('halted')).toEqual([{ status: 'paused', planned: 50, logs: null }]);
    const some = { event_triggers: [{ source_name: 'default', event_triggers: ['halted'] }] };
    await events.metadata('resume_event_trigger_cleanups', some);
    expect(await paused()).toBe(false);
    await expect.poll(() => runs('halted')).toEqual([{ status: 'scheduled', planned: 50, logs: null }]);
  });
  await events.trigger('without', { insert }, async () => {
    const some = (source_name: string, name: string) => ({
      event_triggers: [{ source_name, event_triggers: [name] }],
    });
    const refused = async (args: object) =>
      (await events.request('pause_event_trigger_cleanups', args)).json as { error: string };
    expect((await refused(some('default', 'without'))).error).toBe(
      'cleanup config does not exist for without',
    );
    expect((await refused(some('other', 'without'))).error).toBe('source with name other does not exists');
    expect((await refused(some('default', 'none'))).error).toBe('event trigger "none" does not exist');
  });
});
