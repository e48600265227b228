/** Manifests of clients become collections, which compile and are served under the clients' own ids. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { indexById } from '../../../runtime/graphql/saved/index-by-id.ts';
import { eachInFolder } from '../../harness/folder.ts';

const tickets =
  'query Tickets($limit: Int) {\n  ticket(limit: $limit) {\n    id\n    ...Subject\n  }\n}\n\nfragment Subject on ticket {\n  subject\n}';
const close =
  'mutation Close {\n  update_ticket_by_pk(pk_columns: {id: 1}, _set: {subject: "a: \\"b\\" # c"}) {\n    id\n  }\n}';
const anonymous = '{ ticket { id } }';

const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');
const hashed = (algorithm: string, ...texts: string[]) =>
  Object.fromEntries(texts.map((text) => [hash(algorithm, text), text]));
const apollo = (operations: object[], version = 1) => ({
  format: 'apollo-persisted-query-manifest',
  version,
  operations,
});

const folder = eachInFolder();
beforeEach(() => {
  folder.write('version.yaml', 'version: 3\n');
});

async function importing(manifest: unknown, ...more: string[]) {
  const file = folder.at('manifest.json');
  writeFileSync(file, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const args = ['collections', 'import', file, '--name', 'web', '--metadata', folder.at(), ...more];
  const status = await run(args, { environment: {}, stdout: write, stderr: write });
  return { status, output: output.replaceAll(folder.at(), 'FOLDER') };
}

/** As the server finds the operations of the metadata. */
const findSaved = (path = folder.at()) =>
  indexById(
    readMetadataFile(path).value.query_collections.flatMap(({ name: collection, definition }) =>
      definition.queries.map(({ name, query }) => ({
        collection,
        name,
        kind: 'query' as const,
        document: query,
      })),
    ),
  );

test.each([
  ['client-preset', hashed('sha1', tickets, close, anonymous)],
  ['client-preset with SHA-256', hashed('sha256', tickets, close, anonymous)],
  ['Relay', hashed('md5', tickets, close, anonymous)],
  [
    'Apollo',
    apollo([
      { id: hash('sha256', tickets), name: 'Tickets', type: 'query', body: tickets },
      { id: 'web/close', name: 'Close', type: 'mutation', body: close },
      { id: hash('sha256', anonymous), type: 'query', body: anonymous },
    ]),
  ],
])('the operations of %s are found by their ids', async (_, manifest) => {
  expect(await importing(manifest)).toMatchObject({ status: 0 });
  const find = findSaved();
  const ids =
    'operations' in manifest
      ? (manifest.operations as { id: string }[]).map(({ id }) => id)
      : Object.keys(manifest);
  expect(ids.map((id) => find(id)?.document)).toEqual([tickets, close, anonymous]);
  expect(find('web/Tickets')?.document).toBe(tickets);
});

test('the file says what changed, and keeps what it said of other collections', async () => {
  const others = '# What the gateway sends\n- name: gateway # old\n  definition:\n    queries: []\n';
  folder.write('query_collections.yaml', others);
  expect((await importing(hashed('sha1', tickets, close), '--comment', 'The web client')).output).toBe(
    'web: 2 operations (a new collection) → FOLDER/query_collections.yaml\n',
  );
  const text = readFileSync(folder.at('query_collections.yaml'), 'utf8');
  expect(text.startsWith(others)).toBe(true);
  expect(text).toContain('    query: |-\n          query Tickets($limit: Int) {\n');
  const next = await importing(hashed('sha1', tickets.replace('id', 'subject'), anonymous));
  expect(next.output).toContain('2 operations (1 added, 1 changed, 1 removed)');
  const [gateway, web] = readMetadataFile(folder.at()).value.query_collections;
  expect(gateway?.name).toBe('gateway');
  expect(web).toMatchObject({
    name: 'web',
    comment: 'The web client',
    definition: { queries: { length: 2 } },
  });
});

test('metadata may be a JSON file', async () => {
  const file = folder.at('metadata.json');
  writeFileSync(
    file,
    JSON.stringify({
      version: 3,
      sources: [],
      query_collections: [{ name: 'old', definition: { queries: [] } }],
    }),
  );
  expect((await importing(hashed('sha256', tickets), '--metadata', file)).status).toBe(0);
  expect(findSaved(file)(hash('sha256', tickets))?.collection).toBe('web');
  expect(readMetadataFile(file).value.query_collections.map(({ name }) => name)).toEqual(['old', 'web']);
});

test('ids that are no hashes are told, since they are the names', async () => {
  const { output } = await importing({ 'web/1': tickets, 'web/2': tickets });
  expect(output).toContain('Called by ids that are not hashes of their texts: web/1, web/2\n');
});

test.each([
  ['{', 'FOLDER/manifest.json is not JSON'],
  [[tickets], 'A manifest is a JSON object'],
  [{ a: 1 }, 'The value of "a" is not a text.'],
  [{ a: 'query {' }, 'The document "a" is not GraphQL: expected Name, found the end at line 1, column 8.'],
  [{ a: '{ a } query b { c }' }, 'The document "a" has 2 operations; one is needed.'],
  [{ a: 'fragment a on b { c }' }, 'The document "a" has 0 operations; one is needed.'],
  [{ operations: [] }, 'A manifest is a JSON object'],
  [apollo([], 2), 'The manifest has version 2; known is version 1.'],
  [apollo([{ id: 'x' }]), 'operations[0] of the manifest lacks its id or its body.'],
  [
    apollo([
      { id: 'x', body: anonymous },
      { id: 'x', body: close },
    ]),
    'Two operations of the manifest are called "x".',
  ],
])('%j is refused', async (manifest, message) => {
  const { status, output } = await importing(manifest);
  expect({ status, isTold: output.startsWith(message) || output }).toEqual({ status: 1, isTold: true });
});

test('a folder or file without metadata is left alone', async () => {
  rmSync(folder.at('version.yaml'));
  expect(await importing(hashed('sha1', tickets))).toEqual({
    status: 1,
    output: 'The directory FOLDER holds no metadata: it has no version.yaml.\n',
  });
  const manifest = folder.at('manifest.json');
  expect((await importing(hashed('sha1', tickets), '--metadata', manifest)).output).toContain(
    'holds no metadata',
  );
  expect((await importing(hashed('sha1', tickets), '--metadata', folder.at('none.json'))).output).toBe(
    'Cannot read FOLDER/none.json: it does not exist (ENOENT).\n',
  );
});
