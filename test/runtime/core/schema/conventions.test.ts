/** The names of each convention are those that docs/names.md lists. */
import { readFileSync } from 'node:fs';
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NamingOptions } from '../../../../runtime/core/names.ts';
import { graphqlSchema } from '../../../../runtime/core/schema/graphql-schema.ts';
import { serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { schemaProblems } from '../../../harness/valid-schema.ts';

const SQL = `
  create table order_kind (value text primary key);
  insert into order_kind values ('big_one');
  create table club (id int primary key, club_name text);
  create table book_order (
    id int primary key, club_id int references club, unit_price numeric, is_paid boolean, gross_weight float8,
    details jsonb, kind text references order_kind
  );
  create function find_orders(min_price numeric) returns setof book_order language sql stable as 'select * from book_order';
  create function text_of(book_order, max_len int) returns text language sql stable as 'select null::text';
`;
const METADATA = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: 'postgres://' } },
      tables: [
        { table: 'order_kind', is_enum: true },
        {
          table: 'club',
          array_relationships: [
            {
              name: 'kind_orders',
              using: { foreign_key_constraint_on: { table: 'book_order', column: 'club_id' } },
            },
          ],
        },
        {
          table: 'book_order',
          computed_fields: [{ name: 'full_text', definition: { function: 'text_of' } }],
        },
      ],
      functions: [{ function: 'find_orders' }],
    },
  ],
};

const documentation = readFileSync(new URL('../../../../docs/names.md', import.meta.url), 'utf8');
const rows = /\| Names of \|.*\n\|---.*\n((?:\|.*\n)+)/
  .exec(documentation)![1]!
  .trimEnd()
  .split('\n')
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const namesOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

const CONVENTIONS: readonly (readonly [string, NamingOptions, cell: (row: readonly string[]) => string])[] = [
  ['engine-default', { enabled: true, default: 'engine-default' }, (row) => row[1]!],
  ['graphql-default', { enabled: true, default: 'graphql-default' }, (row) => row[2]!],
  [
    'the first version of graphql-default',
    { enabled: true, default: 'graphql-default', early: true },
    (row) => row[3]! || row[2]!,
  ],
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(SQL);
});

describe.each(CONVENTIONS)('%s', (_, naming, cell) => {
  test('has the names of the documentation', async () => {
    const { program, end } = await serveInProcess(database.url, METADATA, undefined, { naming });
    const names = new Set<string>();
    for (const relay of [false, true]) {
      const types = Object.values(graphqlSchema(program.roleSchema('admin', true, relay)).getTypeMap());
      for (const type of types) {
        names.add(type.name);
        const members = isEnumType(type)
          ? type.getValues()
          : isObjectType(type) || isInputObjectType(type) || isInterfaceType(type)
            ? Object.values(type.getFields())
            : [];
        for (const member of members) {
          names.add(`${type.name}.${member.name}`);
          if ('args' in member) for (const { name } of member.args) names.add(name);
        }
      }
    }
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.flatMap((row) => namesOf(cell(row)).filter((name) => !names.has(name)))).toEqual([]);
    // Names that one convention has and this one does not are not there.
    const others = rows.flatMap((row) => CONVENTIONS.flatMap(([, , other]) => namesOf(other(row))));
    const own = new Set(rows.flatMap((row) => namesOf(cell(row))));
    expect(others.filter((name) => !own.has(name) && names.has(name))).toEqual([]);
    expect(schemaProblems(program)).toEqual([]);
    await end();
  });
});
