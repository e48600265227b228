/** Types and stubs for handlers, and the audit of what actions send. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      configuration: { connection_info: { database_url: { from_env: 'NOWHERE' } } },
      tables: [{ table: 'person' }],
    },
  ],
  custom_types: {
    scalars: [{ name: 'Anything' }],
    enums: [{ name: 'Mood', values: [{ value: 'good', description: 'a "quoted"\nword' }, { value: 'bad' }] }],
    input_objects: [
      {
        name: 'Place',
        fields: [
          { name: 'x', type: 'Float!' },
          { name: 'in', type: 'Place' },
        ],
      },
    ],
    objects: [
      {
        name: 'Account',
        description: 'one "account"',
        fields: [
          { name: 'id', type: 'uuid!' },
          { name: 'mood', type: 'Mood' },
          { name: 'tags', type: '[String!]!' },
          { name: 'more', type: 'Anything' },
        ],
        relationships: [
          { name: 'owner', type: 'object', remote_table: 'person', field_mapping: { id: 'id' } },
        ],
      },
    ],
  },
  actions: [
    {
      name: 'login',
      definition: {
        kind: 'synchronous',
        handler: 'https://{{STAGE}}.example.com/login',
        output_type: 'Account!',
        forward_client_headers: true,
        headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
        arguments: [
          { name: 'name', type: 'String!' },
          { name: 'places', type: '[Place!]' },
        ],
      },
      permissions: [{ role: 'user' }],
    },
    {
      name: 'ping',
      definition: { type: 'query', handler: '{{HANDLER}}/ping', output_type: '[Account]', arguments: [] },
    },
    {
      name: 'job',
      definition: {
        kind: 'asynchronous',
        handler: '{{HANDLER}}/job',
        output_type: 'Account',
        forward_client_headers: true,
        ignored_client_headers: ['Authorization', 'Cookie'],
        arguments: [{ name: 'of', type: 'uuid!' }],
      },
    },
  ],
};

let folder: string;
let project: string[];

async function engine(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const status = await run(args, {
    environment: {},
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { status, stdout, stderr };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-handlers-'));
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata));
  const { url } = await createTestDatabase('create table person (id uuid primary key, name text)');
  project = ['--metadata', join(folder, 'metadata.json'), '--source', `default=${url}`];
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lines of handlers that TypeScript refuses. */
function refusedLines(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ start, file: place }) => {
    const line = place!.getLineAndCharacterOfPosition(start!).line;
    return `${place!.fileName.split('/').at(-1)}: ${place!.text.split('\n')[line]!.trim()}`;
  });
}

test('handlers that keep to their types compile, and no others; stubs are written once', async () => {
  const out = join(folder, 'handlers');
  expect(await engine('action', 'types', ...project, '--out', out)).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(out).sort()).toEqual(['job.ts', 'login.ts', 'ping.ts', 'types.ts']);
  for (const name of ['job', 'login', 'ping']) expect(refusedLines(join(out, `${name}.ts`))).toEqual([]);
  const handler = `import type { ActionHandler } from './types.ts';
export const login: ActionHandler<'login'> = async ({ input, session_variables }) => ({
  id: input.name + session_variables['x-engine-user-id'],
  tags: (input.places ?? []).map(({ x }) => x.toFixed()),
  mood: 'good',
});
export const ping: ActionHandler<'ping'> = async () => [null];
export const job: ActionHandler<'job'> = async ({ input: { of } }) => ({ id: of, tags: [] });
`;
  const wrong = [
    "export const a: ActionHandler<'login'> = async () => null;",
    "export const b: ActionHandler<'job'> = async () => ({ id: '1', tags: [null] });",
    "export const c: ActionHandler<'job'> = async () => ({ id: '1', tags: [], mood: 'other' });",
    "export const e: ActionHandler<'login'> = async ({ input }) => ({ id: input.other, tags: [] });",
    "export const f: ActionHandler<'other'> = async () => null;",
  ];
  writeFileSync(join(out, 'login.ts'), `${handler}${wrong.join('\n')}\n`);
  expect(refusedLines(join(out, 'login.ts'))).toEqual(wrong.map((line) => `login.ts: ${line}`));
  await engine('action', 'types', ...project, '--out', out);
  expect(readFileSync(join(out, 'login.ts'), 'utf8')).toContain(handler);
});

test('the audit says what leaves for which host, and refuses credentials for others', async () => {
  const generated = join(folder, 'generated');
  expect(await engine('compile', ...project, '--out', generated)).toMatchObject({ status: 0 });
  const audit = (...args: string[]) => engine('audit', 'actions', '--generated', generated, ...args);
  const { status, stdout } = await audit();
  expect(status).toBe(0);
  expect(stdout.replaceAll(folder, '').replaceAll(/ {3}\/generated\S+/g, '')).toBe(`actions   (/generated)

{{HANDLER}}
  job   asynchronous mutation
      sends arguments of: uuid!; all session variables
      sends headers of the client, but no credentials
      needs environment variables HANDLER
      called by admin only
  ping   synchronous query
      sends all session variables; the document
      needs environment variables HANDLER
      called by admin only

{{STAGE}}.example.com
  login   synchronous mutation
      sends arguments name: String!, places: [Place!]; all session variables; the document
      sends headers of the client, authorization and cookie included
      sends configured headers X-Key
      needs environment variables STAGE, KEY
      called by user
`);
  expect(await audit('--trusted', '{{HANDLER}}')).toMatchObject({
    status: 1,
    stderr: 'error login sends authorization and cookie of clients to {{STAGE}}.example.com\n',
  });
  expect(await audit('--trusted', '{{STAGE}}.example.com')).toMatchObject({ status: 0, stderr: '' });
});
