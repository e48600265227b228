/** Documents of relationships in generated code, and warnings about values that can never be equal. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { exportMetadata } from '../../compiler/phases/1-read/index.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { lockFile, lockText } from '../../runtime/outgoing/remote/lock.ts';
import { engine } from '../harness/command-line.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const SDL = `type Query {
  find(where: Where, limit: Int): [User!]
  group(name: String!): Group
  level(of: Level, at: Int): String
}

enum Level {
  HIGH
}

type Group {
  members(of: Int): [User!]
}

type User {
  id: ID!
  age: Int
}

input Where {
  id: ID
  ids: [ID!]
}
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-remote-relationships-'));
  mkdirSync(join(folder, 'remote_schemas'));
  writeFileSync(lockFile(join(folder, 'remote_schemas'), 'people'), lockText('people', SDL));
});

afterAll(() => rmSync(folder, { recursive: true }));

const toPeople = (name: string, lhs_fields: string[], remote_field: object) => ({
  name,
  definition: { to_remote_schema: { remote_schema: 'people', lhs_fields, remote_field } },
});

test('generated code shows the document of every relationship', async () => {
  const relationships = [
    toPeople('found', ['id'], { find: { arguments: { where: { id: '$id', ids: ['$id'] } } } }),
    toPeople('colleagues', ['id', 'age'], {
      group: { arguments: { name: '$id' }, field: { members: { arguments: { of: '$age' } } } },
    }),
    toPeople('levelled', ['age'], { level: { arguments: { at: '$age' } } }),
  ];
  const schema =
    'type Query { find(where: Where, limit: Int @preset(value: 5)): [User!] } type User { id: ID! } input Where { id: ID ids: [ID!] }';
  const people = {
    name: 'people',
    definition: { url: 'http://127.0.0.1:1/' },
    permissions: [{ role: 'reader', definition: { schema } }],
    remote_relationships: [{ type_name: 'User', relationships }],
  };
  const metadata = join(folder, 'metadata.json');
  writeFileSync(metadata, JSON.stringify({ version: 3, sources: [], remote_schemas: [people] }));
  const out = join(folder, 'generated');
  expect(await engine('compile', '--metadata', metadata, '--out', out)).toMatchObject({ status: 0 });
  const text = readFileSync(join(out, 'remote/people/relationships.graphql'), 'utf8');
  expect(text.slice(text.indexOf('\n\n') + 2)).toBe(`# type User of remote schema people: found
# The client may give: limit
# The role reader sends: find(limit: 5)
query ($id: ID!) {
  f0: find(where: {id: $id, ids: [$id]}) {
    ...Selected
  }
}

# type User of remote schema people: colleagues
query ($id: String!, $age: Int) {
  f0: group(name: $id) {
    members(of: $age) {
      ...Selected
    }
  }
}

# type User of remote schema people: levelled
# The client may give: of
query ($age: Int) {
  f0: level(at: $age)
}

`);
});

test('a join of types without a common value is reported, and kept', async () => {
  const database = await createTestDatabase(`
    create table a (id integer primary key, key uuid, flag boolean, name text, day date, big numeric);
    create table b (id bigint primary key, key uuid, day timestamptz);
  `);
  const toB = (name: string, field_mapping: object) => ({
    name,
    definition: { to_source: { source: 'other', table: 'b', relationship_type: 'object', field_mapping } },
  });
  const relationships = [
    toB('same', { key: 'key' }),
    toB('numbers', { id: 'id' }),
    toB('more_numbers', { big: 'id' }),
    toB('text', { name: 'key' }),
    toB('days', { day: 'day' }),
    toB('never', { id: 'key' }),
    toB('nor', { flag: 'id' }),
    toPeople('number', ['id'], { level: { arguments: { at: '$id' } } }),
    toPeople('by_text', ['name'], { level: { arguments: { at: '$name', of: '$name' } } }),
    toPeople('no_number', ['key'], { level: { arguments: { at: '$key' } } }),
    toPeople('inner', ['flag'], {
      group: { arguments: { name: 'x' }, field: { members: { arguments: { of: '$flag' } } } },
    }),
    toPeople('any_id', ['key'], { find: { arguments: { where: { id: '$key' } } } }),
  ];
  const table = { table: 'a', remote_relationships: relationships };
  const { value: metadata } = readMetadata({
    version: 3,
    sources: [
      { name: 'default', tables: [table], configuration: { connection_info: { database_url: 'x' } } },
      { name: 'other', tables: [{ table: 'b' }], configuration: { connection_info: { database_url: 'x' } } },
    ],
    remote_schemas: [{ name: 'people', definition: { url: 'http://x' } }],
  });
  const catalog = await readDatabase({ connectionString: database.url }, []);
  const { diagnostics, files } = compile({
    metadata,
    catalogs: { default: catalog, other: catalog },
    remotes: { people: { sdl: SDL } },
  });
  expect(diagnostics.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'warning: remote relationship "never" of "a" is always null: no value of "id" (integer) is one of "key" (uuid)',
    'warning: remote relationship "nor" of "a" is always null: no value of "flag" (boolean) is one of "id" (bigint)',
    'warning: remote relationship "no_number" of "a" gives "key" (uuid) to an argument of type Int',
    'warning: remote relationship "inner" of "a" gives "flag" (boolean) to an argument of type Int',
  ]);
  expect(files.get('sources/default/public/a.table.ts')).toContain('never');
});

test('on_error is kept by an export, and printed in generated code', () => {
  const to = { remote_schema: 'people', lhs_fields: ['id'], remote_field: { find: { arguments: {} } } };
  const relationship = { name: 'x', definition: { to_remote_schema: { ...to, on_error: 'null' } } };
  const people = {
    name: 'people',
    definition: { url: 'http://x' },
    remote_relationships: [{ type_name: 'User', relationships: [relationship] }],
  };
  const { value, diagnostics } = readMetadata({ version: 3, sources: [], remote_schemas: [people] });
  expect(diagnostics).toEqual([]);
  expect(exportMetadata(value)).toMatchObject({
    remote_schemas: [{ remote_relationships: [{ relationships: [relationship] }] }],
  });
  const { files } = compile({ metadata: value, catalogs: {}, remotes: { people: { sdl: SDL } } });
  expect(files.get('remote/people/remote.ts')).toContain('onError: "null"');
});
