/** Reviews of remote schemas from generated code and metadata: who may ask for what, what changes, presets that were lost. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockFile, lockText } from '../../../runtime/outgoing/remote/lock.ts';
import { engine } from '../../harness/command-line.ts';

const SDL = `type Query {
  orders(tenant: ID!): [Order!]
  user(id: ID!, tenant: ID!): User
}

type Order {
  buyer: User
}

type User {
  id: ID!
  name: String
  secret: String
}
`;

let folder: string;
const metadata = () => join(folder, 'metadata.json');

function write(schema: string) {
  const permissions = [{ role: 'reader', definition: { schema } }];
  const remote_schemas = [{ name: 'people', definition: { url: 'http://127.0.0.1:1/' }, permissions }];
  writeFileSync(metadata(), JSON.stringify({ version: 3, sources: [], remote_schemas }));
}

async function compiled(name: string, schema: string): Promise<string> {
  write(schema);
  const out = join(folder, name);
  expect(await engine('compile', '--metadata', metadata(), '--out', out)).toMatchObject({ status: 0 });
  return out;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-remote-review-'));
  mkdirSync(join(folder, 'remote_schemas'));
  writeFileSync(lockFile(join(folder, 'remote_schemas'), 'people'), lockText('people', SDL));
});

afterAll(() => rmSync(folder, { recursive: true }));

const PRESET = 'tenant: ID! @preset(value: "x-engine-tenant")';
const narrow = `type Query { user(id: ID!, ${PRESET}): User } type User { id: ID! name: String }`;
const wide = `type Query { user(id: ID!, tenant: ID!): User orders(${PRESET}): [Order!] } type Order { buyer: User } type User { id: ID! name: String secret: String }`;

test('audit: a role, a field, a change', async () => {
  const [before, after] = [await compiled('before', narrow), await compiled('after', wide)];
  expect((await engine('audit', 'role', 'reader', '--generated', before)).stdout).toContain(
    `Remote schema people
  every field, unless the server has --enable-remote-schema-permissions; with it:
  query field user
  query field user argument id
  query field user preset tenant = value: "x-engine-tenant"
  type User field id
  type User field name
`,
  );
  const { stdout: matrix } = await engine('audit', 'matrix', '--generated', before);
  expect(matrix).toContain(
    'Remote schemas (every role may ask for all of them, unless the server has --enable-remote-schema-permissions)\n  people: permissions for reader\n',
  );
  expect(readFileSync(join(before, 'roles', 'reader.txt'), 'utf8')).toContain(
    'remote schema people\n  every field, unless the server has --enable-remote-schema-permissions\n  query field user\n',
  );
  const who = async (name: string, place: string) => {
    const { stdout, stderr } = await engine('audit', 'who', name, '--generated', place);
    return stdout + stderr;
  };
  expect(await who('people.User.secret', before)).toContain('No role but admin can ask for it.');
  expect(await who('people.User.secret', after)).toContain(
    'reader\n  query user\n  query orders (preset tenant = "x-engine-tenant")\n',
  );
  expect(await who('people.User.nothing', after)).toContain('No table "people.User" is tracked.');
  const json = await engine('audit', 'role', 'reader', '--format', 'json', '--generated', after);
  expect(JSON.parse(json.stdout)).toMatchObject({ remoteSchemas: [{ remoteSchema: 'people' }] });
  const diff = await engine('audit', 'diff', before, after);
  expect([diff.status, diff.stdout]).toEqual([
    1,
    expect.stringContaining(
      'may now use query field user argument tenant, query field orders, type Order field buyer, type User field secret',
    ),
  ]);
  expect(diff.stdout).toContain('no longer sends query field user preset tenant = value: "x-engine-tenant"');
});

test('lint: an input that is preset elsewhere', async () => {
  write(narrow);
  expect(await engine('lint', '--metadata', metadata())).toMatchObject({ status: 0 });
  write(wide);
  const { status, stdout, stderr } = await engine('lint', '--metadata', metadata());
  expect([status, stdout + stderr]).toEqual([
    1,
    expect.stringContaining(
      'Role "reader" may choose "tenant" at Query.user(tenant) of remote schema "people", which is preset with x-engine-tenant at Query.orders(tenant).',
    ),
  ]);
});
