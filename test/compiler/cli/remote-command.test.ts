/** Locks of remote schemas: written, compiled with, compared with the server. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engine } from '../../harness/command-line.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';

let folder: string;
let remote: RemoteServer;
const metadata = () => join(folder, 'metadata.json');
const lock = () => join(folder, 'remote_schemas', 'people.graphql');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-remote-'));
  remote = await startRemoteServer(
    'type Query { user(id: ID!): User, old: Int } type User { id: ID!, name: String }',
    {},
  );
  const permission = { role: 'reader', definition: { schema: 'type Query { old: Int }' } };
  writeFileSync(
    metadata(),
    JSON.stringify({
      version: 3,
      sources: [],
      remote_schemas: [{ name: 'people', definition: { url: remote.url }, permissions: [permission] }],
    }),
  );
});

afterAll(() => remote.stop());

test('lock, compile without the server, check, diff', async () => {
  expect(await engine('remote', 'check', '--metadata', metadata())).toMatchObject({
    status: 1,
    stdout: 'people: no lock: write one with engine remote lock\n',
  });
  expect(await engine('remote', 'lock', '--metadata', metadata())).toEqual({
    status: 0,
    stdout: `people → ${lock()}\n`,
    stderr: '',
  });
  expect(readFileSync(lock(), 'utf8')).toMatch(
    /^# The remote schema "people".*\n# sha256 [\da-f]{64}\n\nschema \{\n {2}query: Query\n\}\n\ntype Query \{\n {2}old: Int\n {2}user\(id: ID!\): User\n\}\n/,
  );
  expect(await engine('remote', 'check', '--metadata', metadata())).toMatchObject({
    status: 0,
    stdout: 'people: same\n',
  });
  expect(await engine('remote', 'diff', 'people', '--metadata', metadata())).toMatchObject({
    status: 0,
    stdout: '',
  });
  await remote.stop();
  const out = join(folder, 'generated');
  expect(await engine('compile', '--metadata', metadata(), '--out', out)).toMatchObject({ status: 0 });
  expect(readFileSync(join(out, 'remote/people/roles/reader.ts'), 'utf8')).toContain(
    'type Query { old: Int }',
  );
  expect(readFileSync(join(out, 'remote/people/remote.ts'), 'utf8')).toContain('name: "people"');
  expect(readFileSync(join(out, 'roles/reader.txt'), 'utf8')).toBe(
    'remote schema people\n  every field, unless the server has --enable-remote-schema-permissions\n  query field old\n',
  );
  const down = await engine('remote', 'check', '--metadata', metadata());
  expect([down.status, down.stdout]).toEqual([1, expect.stringContaining('people: cannot be read')]);
});

/** The remote schema at an address, with a permission, a relationship and an endpoint that use what the lock has. */
function usedMetadata(url: string): object {
  const permission = { role: 'reader', definition: { schema: 'type Query { old: Int }' } };
  const remote_field = { user: { arguments: { id: '$name' } } };
  const again = { to_remote_schema: { remote_schema: 'people', lhs_fields: ['name'], remote_field } };
  const queries = [{ name: 'old', query: 'query old { old }' }];
  return {
    version: 3,
    sources: [],
    remote_schemas: [
      {
        name: 'people',
        definition: { url },
        permissions: [permission],
        remote_relationships: [{ type_name: 'User', relationships: [{ name: 'again', definition: again }] }],
      },
    ],
    query_collections: [{ name: 'saved', definition: { queries } }],
    rest_endpoints: [
      {
        name: 'old',
        url: 'old',
        methods: ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'old' } },
      },
    ],
  };
}

test('what breaks is named', async () => {
  const changed = await startRemoteServer('type Query { user(id: ID!): User } type User { id: ID! }', {});
  try {
    writeFileSync(metadata(), JSON.stringify(usedMetadata(changed.url)));
    const check = await engine('remote', 'check', '--metadata', metadata());
    expect(check).toMatchObject({ status: 1 });
    expect(check.stdout).toContain('people: breaking\n');
    for (const broken of [
      'in remote schema permission for role "reader"',
      'in remote relationship "again"',
      'the query "old" is invalid',
    ])
      expect(check.stdout).toContain(broken);
    expect((await engine('remote', 'diff', '--metadata', metadata())).stdout).toContain('-   old: Int\n');
    expect(await engine('remote', 'rebase', '--metadata', metadata())).toMatchObject({
      status: 1,
      stdout: 'people, role reader\n  nothing is left of the permission; drop it, or write it anew\n',
    });
    writeFileSync(lock(), `${readFileSync(lock(), 'utf8')}# changed`);
    expect((await engine('remote', 'check', '--metadata', metadata())).stdout).toContain(
      'was changed by hand',
    );
  } finally {
    await changed.stop();
  }
});
