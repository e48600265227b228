/** What statements of a mutation keep for those after them. */
import { expect, test } from 'vitest';
import { failedForNoRow } from '../../../../runtime/core/mutation/kept.ts';
import { serveInProcess } from '../../../harness/in-process.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const foreignKey = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
});

async function serve(schema: string, tables: readonly object[]) {
  const database = await createTestDatabase(schema);
  const served = await serveInProcess(database.url, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        tables,
      },
    ],
  } as never);
  const answer = async (query: string, variables: Record<string, unknown> = {}) => {
    const text = await served.answer({ query, variables }, 'admin');
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  };
  return { answer, database, end: served.end };
}

test('rows of a table with columns of the names that statements use', async () => {
  const { answer, end } = await serve(
    `create table entry (written int primary key, "given" int, "each" int);
     create table line (id int primary key, entry int references entry)`,
    [{ table: 'entry', array_relationships: [foreignKey('lines', 'line', 'entry')] }, { table: 'line' }],
  );
  const lines = (ids: number[]) => ({ data: ids.map((id) => ({ id })) });
  const returning = 'affected_rows returning { written given lines { id } }';
  expect(
    await answer(
      `mutation ($objects: [entry_insert_input!]!) {
        insert_entry(objects: $objects) { ${returning} }
        update_entry(where: {}, _set: {given: 3}) { ${returning} }
      }`,
      {
        objects: [
          { written: 1, given: 2, lines: lines([1, 2]) },
          { written: 2, each: 2, lines: lines([3]) },
        ],
      },
    ),
  ).toEqual({
    insert_entry: {
      affected_rows: 5,
      returning: [
        { written: 1, given: 2, lines: [{ id: 1 }, { id: 2 }] },
        { written: 2, given: null, lines: [{ id: 3 }] },
      ],
    },
    update_entry: {
      affected_rows: 2,
      returning: [
        { written: 1, given: 3, lines: [{ id: 1 }, { id: 2 }] },
        { written: 2, given: 3, lines: [{ id: 3 }] },
      ],
    },
  });
  await end();
});

test.each([
  'invalid input syntax for type boolean: "no row was written"',
  'ungültige Eingabesyntax für Typ boolean: »no row was written«',
  'syntaxe en entrée invalide pour le type boolean : « no row was written »',
])('a missing row is found in the words of a server of any language: %s', (message) => {
  expect(failedForNoRow(message)).toBe(true);
});
