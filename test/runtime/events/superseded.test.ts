/** A cron event that fails after its trigger was replaced: another one waits for the same time. */
import { expect, test } from 'vitest';
import { beginLease, type QueueQuery } from '../../../runtime/database/queue/lease.ts';
import { createScheduledStore } from '../../../runtime/events/scheduled-store.ts';
import { openEventsTest } from '../../harness/events.ts';

const events = openEventsTest('create table item (id integer primary key)', { DISABLE_EVENTING: 'true' });

test('its retry gives way to the new event', async () => {
  const query: QueueQuery = (sql, values) => events.database.query(sql, values);
  const time = '2024-01-01T00:00:00Z';
  const make = () =>
    query("insert into engine_catalog.cron_events (trigger_name, scheduled_time) values ('c', $1)", [time]);
  await make();
  const lease = beginLease(
    query,
    () => true,
    () => {},
  );
  const store = createScheduledStore(query, lease, () => [{ name: 'c', tolerance: 1e9, missed: 'all' }]);
  const { jobs } = await store.claim(10, []);
  expect(jobs).toHaveLength(1);
  await make();
  const failed = {
    isDelivered: false,
    isHopeless: false,
    status: 500,
    request: '{}',
    response: '{}',
    retryIn: 1,
  };
  await store.settle([[jobs[0]!, failed]]);
  expect(
    await query('select status, tries, owner from engine_catalog.cron_events order by tries desc'),
  ).toEqual([
    { status: 'dead', tries: 1, owner: null },
    { status: 'scheduled', tries: 0, owner: null },
  ]);
  expect(await query('select status from engine_catalog.cron_event_invocation_logs')).toEqual([
    { status: 500 },
  ]);
  await lease.end();
});
