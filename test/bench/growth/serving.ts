/** What grows around a server, and what its process takes for the same work. */
import { type Engine, ITEMS, openRig, type Rig, settled, writeItems } from '../eventing/rig.ts';
import { Clients } from '../live/clients.ts';
import { cpuOf } from '../live/measure.ts';
import type { GrowthCase, Work } from './measure.ts';
import { numbers } from './projects.ts';

/** Writes of one run: each is told after up to a tenth of a second. */
const WRITES = 10;

interface Served {
  readonly engine: Engine;
  readonly client: Awaited<ReturnType<Rig['database']>>['client'];
}

interface Serving {
  readonly unit: string;
  readonly sizes: GrowthCase['sizes'];
  /** Brings a server from a size to the next. */
  readonly prepare: (served: Served, size: number, before: number, rig: Rig) => Promise<Work>;
}

const SERVING: Readonly<Record<string, Serving>> = {
  'subscribers of a row each, writes of ten rows': {
    unit: 'subscribers',
    sizes: [10, 100, 1000],
    prepare: async ({ engine, client }, size, before) => {
      const clients = new Clients(engine.port);
      await clients.subscribe(
        Math.ceil((size - before) / 10),
        10,
        (index) => `item_by_pk(id: ${before + index + 1}) { n }`,
      );
      return async () => {
        for (let write = 0; write < WRITES; write += 1) {
          const told = clients.next(10);
          await client.query('update item set n = n + 1 where id between $1 and $2', [
            before + 1,
            before + 10,
          ]);
          await told;
        }
      };
    },
  },
  'subscribers of one row': {
    unit: 'subscribers',
    sizes: [10, 100, 1000],
    prepare: async ({ engine, client }, size, before) => {
      const clients = new Clients(engine.port);
      await clients.subscribe(Math.ceil((size - before) / 10), 10, () => 'item_by_pk(id: 1) { n }');
      return async () => {
        for (let write = 0; write < WRITES; write += 1) {
          const told = clients.next(size - before);
          await client.query('update item set n = n + 1 where id = 1');
          await told;
        }
      };
    },
  },
  'queued events': {
    unit: 'events that wait',
    sizes: [100, 1000, 10_000],
    prepare: async ({ engine, client }, size, before, { receiver }) => {
      if (before === 0) await engine.trigger('items', '/');
      let first = size * 100;
      return async () => {
        await writeItems(client, first, size);
        first += size;
        await receiver.waitFor(size, 300);
        await settled(client);
        await receiver.take();
      };
    },
  },
  'rows of an answer': {
    unit: 'rows',
    sizes: [100, 1000, 10_000],
    prepare:
      async ({ engine }, size) =>
      async () => {
        for (let request = 0; request < 20; request += 1)
          await engine.query(`{ item(limit: ${size}) { id n note } }`);
      },
  },
  'a permission of one of many tables': {
    unit: 'tables',
    sizes: [20, 200, 2000],
    prepare: async ({ engine, client }, size, before) => {
      await client.query(
        numbers(size - before)
          .map((index) => `create table t_${before + index} (id int primary key, owner int, note text);`)
          .join(''),
      );
      await engine.metadata('pg_track_tables', {
        tables: numbers(size - before).map((index) => ({ table: `t_${before + index}` })),
        allow_warnings: true,
      });
      return async () => {
        for (let change = 0; change < 10; change += 1) {
          const named = { table: 't_0', role: 'user' };
          await engine.metadata('pg_create_select_permission', {
            ...named,
            permission: { columns: ['id'], filter: {} },
          });
          await engine.metadata('pg_drop_select_permission', named);
        }
      };
    },
  },
};

/** Each has a separate server and database, which the sizes share. */
export async function servingCases(
  progress: (text: string) => void,
): Promise<{ readonly cases: readonly GrowthCase[]; readonly stop: () => Promise<void> }> {
  const rig = await openRig(progress);
  let databases = 0;
  const cases = Object.entries(SERVING).map(([name, { unit, sizes, prepare }]): GrowthCase => {
    let served: Promise<Served> | undefined;
    const serve = async () => {
      databases += 1;
      const { url, client } = await rig.database(`served_${databases}`);
      await client.query(ITEMS);
      await writeItems(client, 0, 10_000);
      const engine = await rig.serve(url);
      await engine.metadata('pg_track_table', { table: 'item' });
      return { engine, client };
    };
    return {
      name: `served: ${name}`,
      unit,
      sizes,
      prepare: async (size) => {
        served ??= serve();
        const { engine, client } = await served;
        const before = sizes[sizes.indexOf(size) - 1] ?? 0;
        return prepare({ engine, client }, size, before, rig);
      },
      clock: async () => cpuOf((await served)!.engine.child.pid!) * 1000,
      finish: async () => (await served)?.engine.stop(),
    };
  });
  return { cases, stop: () => rig.stop() };
}
