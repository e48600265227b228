/** A claim that was committed, but whose answer was lost with its connection. */
import { expect, test } from 'vitest';
import { beginLease, type QueueQuery } from '../../../runtime/database/queue/lease.ts';
import type { QueueStore } from '../../../runtime/database/queue/worker.ts';
import { createEventStore } from '../../../runtime/events/event-store.ts';
import { createScheduledStore } from '../../../runtime/events/scheduled-store.ts';
import { openEventsTest } from '../../harness/events.ts';

const opened = openEventsTest('create table item (id integer primary key)', { DISABLE_EVENTING: 'true' });

/** Runs every statement; the answers of claims are lost while the switch is on. */
function losing(): { query: QueueQuery; isLost: boolean } {
  const lossy = {
    isLost: false,
    query: (async (sql: string, values?: readonly unknown[]) => {
      const rows = await opened.database.query(sql, values);
      if (lossy.isLost && /for update of e skip locked/.test(sql)) throw new Error('the connection is lost');
      return rows;
    }) as QueueQuery,
  };
  return lossy;
}

async function expectFound(
  lossy: ReturnType<typeof losing>,
  store: QueueStore<{ readonly id: string }, never>,
): Promise<void> {
  const { jobs: kept } = await store.claim(1, []);
  expect(kept).toHaveLength(1);
  lossy.isLost = true;
  await expect(store.claim(10, [])).rejects.toThrow('the connection is lost');
  lossy.isLost = false;
  const { jobs: found } = await store.claim(10, []);
  // All but the one that is worked on.
  expect(found).toHaveLength(2);
  expect(found.map(({ id }) => id)).not.toContain(kept[0]!.id);
}

test('events are claimed again', async () => {
  await opened.trigger('added', { insert: { columns: '*' } }, async () => {
    await opened.database.query('insert into item values (1), (2), (3)');
    const lossy = losing();
    const lease = beginLease(
      lossy.query,
      () => true,
      () => {},
    );
    const store = createEventStore(lossy.query, lease, () => [{ name: 'added', ordering: 'none' }]);
    await expectFound(lossy, store as unknown as QueueStore<{ readonly id: string }, never>);
    await lease.end();
  });
});

test('one-off events are claimed again', async () => {
  for (let index = 0; index < 3; index += 1)
    await opened.metadata('create_scheduled_event', {
      webhook: opened.webhook.url,
      schedule_at: '2020-01-01T00:00:00Z',
      retry_conf: { tolerance_seconds: 1e9 },
    });
  const lossy = losing();
  const lease = beginLease(
    lossy.query,
    () => true,
    () => {},
  );
  const store = createScheduledStore(lossy.query, lease, undefined);
  await expectFound(lossy, store as unknown as QueueStore<{ readonly id: string }, never>);
  await lease.end();
});
