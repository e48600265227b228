/** Types of a role's saved operations: exactly those it may run, and they say what is sent and what comes back. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const queries = {
  page: 'query page($limit: Int = 2, $mood: mood) { note(where: {mood: {_eq: $mood}}, limit: $limit) { ...F copies @include(if: true) { id } } } fragment F on note { id size mood }',
  Page: 'query ($ids: [bigint!]!) { note(where: {id: {_in: $ids}}) { ...F } } fragment F on note { ...G } fragment G on note { data made: made_at }',
  'search/all 1': 'query search($where: note_bool_exp!) { found: note(where: $where) { id } }',
  rename:
    'mutation rename($id: bigint!, $text: String) { update_note_by_pk(pk_columns: {id: $id}, _set: {text: $text}) { id text } }',
  secret: '{ note { secret } }',
};

const metadata = metadataOf(
  [
    {
      table: 'note',
      array_relationships: [
        { name: 'copies', using: { foreign_key_constraint_on: { table: 'note', column: 'original' } } },
      ],
      select_permissions: [
        {
          role: 'user',
          permission: { columns: ['id', 'text', 'size', 'mood', 'data', 'made_at'], filter: {} },
        },
      ],
      update_permissions: [{ role: 'user', permission: { columns: ['text'], filter: {}, check: null } }],
    },
  ],
  {
    query_collections: [
      {
        name: 'web',
        definition: { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) },
      },
    ],
  },
  { from_env: 'NOWHERE' },
);

let folder: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-types-'));
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata));
  ({ url } = await createTestDatabase(`
    create type mood as enum ('good', 'bad');
    create table note (
      id bigint primary key, original bigint references note, text text, size numeric not null, mood mood not null,
      data jsonb, made_at timestamptz not null, secret text
    );
  `));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function typesFor(
  role: string,
  environment: Record<string, string> = {},
  as: 'operations' | 'types' = 'operations',
): Promise<string> {
  let output = '';
  const stdout = (text: string) => {
    output += text;
  };
  const args = ['--metadata', join(folder, 'metadata.json'), '--source', `default=${url}`, '--role', role];
  const status = await run(['schema', ...args, '--as', as], {
    environment,
    stdout,
    stderr: stdout,
  });
  expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  return output;
}

/** What TypeScript says of a client's code. */
function check(types: string, client: string): string[] {
  writeFileSync(join(folder, 'operations.ts'), types);
  writeFileSync(join(folder, 'client.ts'), client);
  const program = ts.createProgram([join(folder, 'client.ts')], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ start, file, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : -1;
    return `${file?.fileName.split('/').at(-1)}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const right = `
const [row] = call('web/page', { mood: 'good' }).note;
export const mood: 'good' | 'bad' = row!.mood;
export const size: number = row!.size;
export const copies: { id: number }[] | undefined = row!.copies;
export const data: { data: unknown; made: string }[] = call('web/Page', { ids: ['9007199254740993', 1] }).note;
export const found: number[] = call('web/search/all 1', { where: { _or: [{ text: { _like: '%' } }] } }).found.map(({ id }) => id);
export const text: string | null | undefined = call('web/rename', { id: 1, text: null }).update_note_by_pk?.text;
`;

const wrong = {
  'an unknown operation': "call('web/pages', {});",
  'an operation that the role may not run': "call('web/secret', {});",
  'a missing variable': "call('web/Page', {});",
  'a variable of another type': "call('web/page', { limit: '1' });",
  'a value that the enum does not have': "call('web/page', { mood: 'other' });",
  'a column that the role does not see': "call('web/search/all 1', { where: { secret: { _eq: 'x' } } });",
  'a field that was not asked for': "call('web/search/all 1', { where: {} }).found[0]!.text;",
  'a null that may come': "export const x: { id: number } = call('web/rename', { id: 1 }).update_note_by_pk;",
};

test('a client that keeps to the types compiles, and no other', async () => {
  const head = `import type { SavedOperations } from './operations.ts';
declare function call<Id extends keyof SavedOperations>(
  documentId: Id, variables: SavedOperations[Id]['variables'],
): SavedOperations[Id]['result'];
${right}`;
  const first = head.split('\n').length;
  const refused = check(await typesFor('user'), `${head}${Object.values(wrong).join('\n')}\n`);
  const lines = new Set(refused.map((problem) => problem.split(' ')[0]));
  expect([...lines]).toEqual(Object.keys(wrong).map((_, index) => `client.ts:${first + index}`));
});

test('big numbers are strings where the server gives strings', async () => {
  const types = await typesFor('user', { ENGINE_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true' });
  expect(types).toMatch(/PageQuery = \{ note: Array<\{ id: string, size: string, /);
});

test('a role that may run nothing has no operations', async () => {
  expect(await typesFor('nobody')).toContain('export interface SavedOperations {\n}\n');
  expect(await typesFor('admin')).toContain('"web/secret": {');
});

test('enums of the schema are the texts that clients send and get', async () => {
  const types = await typesFor('user', {}, 'types');
  const use = (value: string) =>
    check(
      types,
      `import type { Note } from './operations.ts'; export const mood: Note['mood'] = '${value}';`,
    );
  expect(use('good')).toEqual([]);
  expect(use('other')).toEqual([expect.stringContaining('\'"other"\' is not assignable')]);
});
