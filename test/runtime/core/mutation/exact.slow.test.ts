/**
 * Written rows come back as they are: values of every type, inserted, changed, deleted and upserted, alone and with what is
 * related to them, whatever the database says of how texts are written. A trigger puts random rows in the place of those that
 * are inserted, because clients cannot write every value. The rows are compared with what a query answers, and by their
 * binary form, on which masks depend as well.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { exactColumns, TYPES_SQL } from './exact-values.ts';

/** Settings that change how values are written as texts, or read from them. */
const SETTINGS = [
  "datestyle = 'SQL, DMY'",
  'intervalstyle = sql_standard',
  'extra_float_digits = -15',
  'bytea_output = escape',
  'array_nulls = off',
  "timezone = 'Asia/Kolkata'",
];

const ROWS = 25;

interface Row {
  readonly id: number;
  readonly [column: string]: unknown;
}

describe.each([
  ['PostgreSQL of this run', undefined],
  ['PostgreSQL 13', 13],
  ['PostgreSQL 15', 15],
] as const)('%s', (_, version) => {
  const columns = exactColumns(version ?? 18);
  const names = columns.map(({ name }) => name);
  let database: TestDatabase;
  let served: InProcess;
  let rows: Row[];
  /** Of all rows, as a session variable. */
  let fingerprints = '{}';
  /** Columns that are masked unless the whole row is exact. */
  const few = names.slice(0, 4);

  beforeAll(async () => {
    const definitions = columns.map(({ name, sql }) => `${name} ${sql}`).join(', ');
    const bytes = columns
      .map(({ name, text }) => (text ? `row(concat(i.${name}))` : `row(i.${name})`))
      .map((row) => `md5(record_send(${row})::text)`)
      .join(' || ');
    const random = new Random(1);
    const values = Array.from(
      { length: ROWS },
      (_, id) =>
        `insert into sample values (${[id, ...columns.map((each) => each.random(random))].join(', ')});`,
    );
    database = await createTestDatabase(
      `${TYPES_SQL}
      create table sample (id int primary key, ${definitions});
      ${values.join('\n')}
      create table item (id int primary key, ${definitions}, n int not null default 0, parent int references item);
      create function fingerprint(i item) returns text language sql stable as $$ select md5(${bytes}) $$;
      create function fill() returns trigger language plpgsql as $$
        begin
          new := (select row(new.id, ${names.map((name) => `s.${name}`)}, new.n, new.parent)::item from sample s where s.id = new.id % 1000);
          return new;
        end $$;
      create trigger fill before insert on item for each row execute function fill();
      create function touch() returns setof item language sql volatile as $$ update item set n = n + 1 returning * $$`,
      version,
    );
    for (const setting of SETTINGS) await database.query(`alter database ${database.name} set ${setting}`);
    await database.query('insert into item (id) select id from sample');
    const permission = (role: string, permission: object) => ({ role, permission });
    const tables = [
      { table: 'sample' },
      {
        table: 'item',
        object_relationships: [{ name: 'of', using: { foreign_key_constraint_on: 'parent' } }],
        array_relationships: [
          { name: 'parts', using: { foreign_key_constraint_on: { table: 'item', column: 'parent' } } },
        ],
        computed_fields: [{ name: 'fingerprint', definition: { function: 'fingerprint' } }],
        select_permissions: [
          permission('exact', {
            columns: ['id', ...few],
            computed_fields: ['fingerprint'],
            filter: { fingerprint: { _in: 'X-Engine-Exact' } },
          }),
          permission('any', { columns: ['id', 'n', 'parent'], filter: {} }),
        ],
        insert_permissions: [permission('any', { columns: ['id', 'parent'], check: {} })],
        update_permissions: [permission('any', { columns: ['n'], filter: {}, check: {} })],
        delete_permissions: [permission('any', { filter: {} })],
      },
    ];
    const functions = [
      {
        function: 'touch',
        configuration: { exposed_as: 'mutation' },
        permissions: [{ role: 'exact' }, { role: 'any' }],
      },
    ];
    const metadata = {
      version: 3,
      sources: [defaultSource({ tables, functions })],
      inherited_roles: [{ role_name: 'both', role_set: ['exact', 'any'] }],
    };
    served = await serveInProcess(database.url, metadata as never, undefined, {
      naming: { extensions: ['nested_updates'] },
    });
    const { sample, item } = await ask(
      `{ sample(order_by: {id: asc}) { id ${names} } item { fingerprint } }`,
      'admin',
    );
    rows = sample as Row[];
    fingerprints = `{${(item as Row[]).map(({ fingerprint }) => fingerprint)}}`;
  });
  afterAll(() => served?.end());

  async function ask(query: string, role: string): Promise<Record<string, unknown>> {
    const text = await served.answer({ query }, role, { 'x-engine-exact': fingerprints });
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  }

  const ids = Array.from({ length: ROWS }, (_, id) => id);
  const objects = `[${ids.map((id) => `{id: ${id}}`)}]`;
  const nested = `[${ids.map((id) => `{id: ${id}, parts: {data: [{id: ${id + 1000}}]}}`)}]`;
  const parents = `[${ids.map((id) => `{id: ${id}, of: {data: {id: ${id + 1000}}}}`)}]`;
  const conflict = 'on_conflict: {constraint: item_pkey, update_columns: [n]}';
  const updates = `[${ids.map((id) => `{where: {id: {_eq: ${id}}}, _set: {n: 3}}`)}]`;
  const filled = `insert_item(objects: ${objects}) { affected_rows }`;

  /** Name, what is written before, and the operation with the selection of its rows. */
  const operations: readonly (readonly [string, string, (selection: string) => string])[] = [
    ['insert', '', (s) => `insert_item(objects: ${objects}) { returning { ${s} } }`],
    ['insert one', '', (s) => `insert_item_one(object: {id: 7}) { ${s} }`],
    ['insert with rows of its own', '', (s) => `insert_item(objects: ${nested}) { returning { ${s} } }`],
    [
      'insert object by object',
      '',
      (s) =>
        `insert_item(objects: ${nested}, on_conflict: {constraint: item_pkey, update_columns: []}) { returning { ${s} } }`,
    ],
    [
      'insert with a row that it refers to',
      '',
      (s) => `insert_item(objects: ${parents}) { returning { ${s} } }`,
    ],
    ['update', filled, (s) => `update_item(where: {}, _set: {n: 1}) { returning { ${s} } }`],
    ['update by key', filled, (s) => `update_item_by_pk(pk_columns: {id: 7}, _set: {n: 1}) { ${s} }`],
    ['update many', filled, (s) => `update_item_many(updates: ${updates}) { returning { ${s} } }`],
    ['upsert', filled, (s) => `insert_item(objects: ${objects}, ${conflict}) { returning { ${s} } }`],
    ['delete', filled, (s) => `delete_item(where: {}) { returning { ${s} } }`],
    ['delete by key', filled, (s) => `delete_item_by_pk(id: 7) { ${s} }`],
    ['function', filled, (s) => `touch { ${s} }`],
    [
      'update with related rows',
      filled,
      (s) =>
        `update_item(where: {}, _set: {n: 1}, related: {parts: {update: [{where: {}, _set: {n: 2}}]}}) { returning { ${s} } }`,
    ],
  ];

  describe.each(['admin', 'both'])('%s', (role) => {
    test.each(operations)('%s', async (_name, before, operation) => {
      const cells = `id ${role === 'admin' ? names : few} fingerprint`;
      for (const related of ['', ' parts { id }', ` of { ${cells} } parts { ${cells} }`]) {
        await database.query('delete from item');
        if (before) await ask(`mutation { ${before} }`, 'admin');
        const given = rowsOf(await ask(`mutation { ${operation(cells + related)} }`, role));
        expect(given.length).toBeGreaterThan(0);
        for (const row of given) expectExact(row);
      }
    });
  });

  function expectExact({ id, fingerprint, of, parts, ...cells }: Row): void {
    expect(rows[id % 1000], `row ${id}`).toMatchObject(cells);
    expect(fingerprints).toContain(fingerprint);
    for (const each of [of, ...((parts as unknown[]) ?? [])])
      if (each && Object.hasOwn(each, 'fingerprint')) expectExact(each as Row);
  }
});

function rowsOf(data: Record<string, unknown>): Row[] {
  return Object.values(data).flatMap((answer) =>
    [answer].flat().flatMap((each) => ((each as { returning?: Row[] })?.returning ?? each) as Row | Row[]),
  );
}
