/** After any sequence of metadata operations the database has exactly the triggers that the metadata names. */
import { expect, test } from 'vitest';
import { Random } from '../../fuzz/random.ts';
import { openEventsTest } from '../../harness/events.ts';

const events = openEventsTest(`
  create table item (id serial primary key, name text);
  create table other (id serial primary key, name text);
`);

interface Exported {
  readonly sources: readonly {
    readonly tables: readonly {
      readonly table: { readonly name: string };
      readonly event_triggers?: readonly {
        readonly name: string;
        readonly definition: Readonly<Record<string, unknown>>;
      }[];
    }[];
  }[];
}

async function named(): Promise<string[]> {
  const { sources } = (await events.metadata('export_metadata', {})) as Exported;
  return sources
    .flatMap(({ tables }) =>
      tables.flatMap(({ table, event_triggers = [] }) =>
        event_triggers.flatMap(({ name, definition }) =>
          ['INSERT', 'UPDATE', 'DELETE']
            .filter((operation) => definition[operation.toLowerCase()])
            .map((operation) => `${table.name} notify_engine_${name}_${operation}`),
        ),
      ),
    )
    .sort();
}

async function installed(): Promise<string[]> {
  const rows = await events.database.query<{ name: string }>(
    `select c.relname || ' ' || tgname as name from pg_trigger t join pg_class c on c.oid = tgrelid
     where tgname like 'notify%' and tgenabled = 'O'`,
  );
  const functions = await events.database.query("select from pg_proc where proname like 'notify_engine%'");
  expect(functions).toHaveLength(rows.length);
  return rows.map(({ name }) => name).sort();
}

test('random operations', async () => {
  const random = new Random(18);
  let refused = 0;
  for (let step = 0; step < 60; step += 1) {
    const name = random.pick(['a', 'b', 'c']);
    const table = random.pick(['item', 'other']);
    const chosen = ['insert', 'update', 'delete'].filter(() => random.chance(0.5));
    const operations = Object.fromEntries(chosen.map((each) => [each, { columns: '*' }]));
    const create = (replace: boolean) =>
      [
        'pg_create_event_trigger',
        { name, table, webhook: events.webhook.url, ...operations, enable_manual: true, replace },
      ] as const;
    const [type, args] = random.pick([
      () => create(false),
      () => create(false),
      () => create(true),
      () => ['pg_delete_event_trigger', { name }] as const,
      () => ['pg_track_table', { table }] as const,
      () => ['pg_untrack_table', { table, cascade: true }] as const,
      () => ['reload_metadata', {}] as const,
      () =>
        [
          'bulk',
          [
            { type: 'pg_delete_event_trigger', args: { name } },
            { type: create(false)[0], args: create(false)[1] },
          ],
        ] as const,
    ])();
    const { status } = await events.request(type, args as object);
    if (status !== 200) refused += 1;
    expect(await installed(), `step ${step}: ${type} ${JSON.stringify(args)}`).toEqual(await named());
  }
  // Some operations fail, and many do not: otherwise this proves little.
  expect(refused).toBeLessThan(45);
  expect(refused).toBeGreaterThan(5);
});
