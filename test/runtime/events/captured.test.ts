/** What events hold: values of every kind of type, which updates count, and times. */
import { expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer } from '../../harness/server.ts';
import { startWebhook } from '../../harness/webhook.ts';

// Nothing is delivered: the queue is read.
const events = openEventsTest(
  `create type mood as enum ('good', 'bad');
   create domain short as text check (length(value) < 10);
   create type pair as (a integer, b text);
   create table item (
     id integer primary key, name text, large bigint, price numeric, ratio double precision, doc json, docb jsonb,
     tree xml, place point, area box, numbers integer[], feeling mood, label short, both_of pair, bits bit(3),
     span int4range, "odd ""name" text
   );`,
  { DISABLE_EVENTING: 'true' },
);

async function captured(): Promise<{ op: string; data: { old: object | null; new: object | null } }[]> {
  const rows = await events.database.query<{ payload: string }>(
    'select payload::text from engine_catalog.event_log order by seq',
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

const VALUES: Readonly<Record<string, readonly [sql: string, other: string, json: unknown]>> = {
  name: [`'it''s'`, `'b'`, "it's"],
  large: ['12', '13', 12],
  price: ['1.50', '1.51', 1.5],
  ratio: ['0.1', '0.2', 0.1],
  doc: [`'{"b":1,"a":2}'`, `'{"a":2,"b":1}'`, { a: 2, b: 1 }],
  docb: [`'{"b":1}'`, `'{"b":2}'`, { b: 1 }],
  tree: [`'<a/>'`, `'<b/>'`, '<a/>'],
  place: [`'(1,2)'`, `'(1,3)'`, '(1,2)'],
  // Boxes are equal for the database when their areas are.
  area: [`'(2,2),(1,1)'`, `'(3,3),(2,2)'`, '(2,2),(1,1)'],
  numbers: [`'{1,2}'`, `'{2,1}'`, [1, 2]],
  feeling: [`'good'`, `'bad'`, 'good'],
  label: [`'x'`, `'y'`, 'x'],
  both_of: [`'(1,x)'`, `'(1,y)'`, { a: 1, b: 'x' }],
  bits: [`'101'`, `'100'`, '101'],
  span: [`'[1,5)'`, `'[1,6)'`, '[1,5)'],
  'odd "name': [`'x'`, `'y'`, 'x'],
};
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

test.each(Object.entries(VALUES))(
  '%s: a change of its value counts, the same value does not',
  async (column, given) => {
    const [value, other, json] = given;
    const name = quoted(column);
    const definition = {
      insert: { columns: '*', payload: [column] },
      update: { columns: [column], payload: [column] },
    };
    await events.trigger('typed', definition, async () => {
      await events.database.query('delete from item; delete from engine_catalog.event_log');
      await events.database.query(`insert into item (id, ${name}) values (1, ${value}), (2, null)`);
      expect((await captured()).map(({ data }) => data)).toEqual([
        { old: null, new: { [column]: json } },
        { old: null, new: { [column]: null } },
      ]);
      await events.database.query('delete from engine_catalog.event_log');
      await events.database.query(
        `update item set ${name} = ${value} where id = 1; update item set ${name} = null where id = 2`,
      );
      expect(await captured()).toEqual([]);
      await events.database.query(`update item set ${name} = ${other}`);
      const changed = await captured();
      expect(changed.map(({ data }) => data.old)).toEqual([{ [column]: json }, { [column]: null }]);
      await events.database.query(`update item set ${name} = null where id = 1`);
      expect(await captured()).toHaveLength(3);
    });
  },
);

test('numbers are texts where the server sends them so; times and retries are in the time zone of the database', async () => {
  const database = await createTestDatabase(
    'create table item (id integer primary key, large bigint, price numeric, ratio double precision, many bigint[])',
  );
  await database.query(`alter database "${database.name}" set timezone = 'Asia/Tokyo'`);
  const webhook = await startWebhook((_call, response) => {
    response.statusCode = webhook.calls.length === 1 ? 500 : 200;
    response.end();
  });
  const server = await startTestServer(database, { STRINGIFY_NUMERIC_TYPES: 'true' });
  try {
    const metadata = (type: string, args: object) => send(server, '/v1/metadata', { body: { type, args } });
    await metadata('pg_track_table', { table: 'item' });
    const retry_conf = { num_retries: 1, interval_sec: 1 };
    const args = {
      name: 'elsewhere',
      table: 'item',
      webhook: webhook.url,
      insert: { columns: '*' },
      retry_conf,
    };
    await metadata('pg_create_event_trigger', args);
    const object =
      '{id: 1, large: "12345678901234567", price: "1.50", ratio: 0.1, many: ["12345678901234567"]}';
    const now = Date.now();
    await send(server, '/v1/graphql', {
      body: { query: `mutation { insert_item_one(object: ${object}) { id } }` },
    });
    await expect.poll(() => webhook.calls.length).toBe(2);
    const [first, second] = webhook.calls;
    const { event, created_at } = first!.body as { event: { data: object }; created_at: string };
    expect(event.data).toEqual({
      old: null,
      new: { id: 1, large: '12345678901234567', price: '1.50', ratio: '0.1', many: ['12345678901234567'] },
    });
    expect(Math.abs(Date.parse(`${created_at}+09:00`) - now)).toBeLessThan(60_000);
    expect(second!.at - first!.at).toBeGreaterThan(900);
  } finally {
    await server.stop();
    await webhook.close();
  }
});
