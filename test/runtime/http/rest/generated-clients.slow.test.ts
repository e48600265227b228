/**
 * Public generators take the OpenAPI document, what they make has no type error, and one of the clients reads and writes. They are
 * of a folder that `npm run pretest:slow` installs.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRequestProject } from '../../../harness/request-project.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

const folder = fileURLToPath(new URL('../../../real-openapi-generators/', import.meta.url));
/** Below the folder, so that what is generated finds its packages. */
const made = join(folder, '.engine');
const run = promisify(execFile);
const bin = (name: string, ...args: string[]) =>
  run(join(folder, 'node_modules/.bin', name), args, { cwd: made });

let server: TestServer;
let document: object;

beforeAll(async () => {
  const { database, metadata } = await readRequestProject('served/openapi');
  server = await serve({ database, metadata });
  document = (await send(server, '/api/openapi.json', { method: 'GET' })).json as object;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, 'document.json'), JSON.stringify(document));
});
afterAll(async () => {
  await server?.stop();
  rmSync(made, { recursive: true, force: true });
});

/** Type-checks generated files as a strict project would. @throws with what the compiler prints */
async function typeCheck(name: string, files: readonly string[]): Promise<void> {
  const tsconfig = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      skipLibCheck: true,
      types: [],
    },
    files,
  };
  writeFileSync(join(made, `tsconfig.${name}.json`), JSON.stringify(tsconfig));
  await bin('tsc', '-p', `tsconfig.${name}.json`).catch((error) => {
    throw new Error(error.stdout);
  });
}

/** What a strict validator of the kind that code generators have says. */
test('a validator has nothing to say', async () => {
  const validator = createRequire(`${folder}package.json`)('oas-validator');
  const { valid } = await validator.validate(structuredClone(document), { lint: false });
  expect(valid).toBe(true);
});

test('openapi-typescript with openapi-fetch', async () => {
  writeFileSync(
    join(made, 'types.ts'),
    astToString(await openapiTypescript(structuredClone(document) as never)),
  );
  writeFileSync(
    join(made, 'use-types.ts'),
    `import createClient from 'openapi-fetch';
     import type { paths } from './types';
     const client = createClient<paths>({ baseUrl: 'http://localhost' });
     const { data, error } = await client.GET('/api/rest/items', { params: { query: { limit: 1, tags: ['a'] } } });
     const names: string[] | undefined = data?.item.map(({ name }) => name);
     const status: 'open' | 'closed' | null | undefined = data?.item[0]?.status;
     const code: string | undefined = error?.code;
     await client.PATCH('/api/rest/items/{id}', { params: { path: { id: 1 } }, body: { set: { name: 'x', status: null } } });
     // @ts-expect-error the operation requires the variable
     await client.PATCH('/api/rest/items/{id}', { params: { path: { id: 1 } }, body: { data: 1 } });
     // @ts-expect-error no such status
     await client.POST('/api/rest/add', { body: { objects: [{ name: 'x', status: 'new' }] } });
     export { names, status, code };`,
  );
  await typeCheck('types', ['use-types.ts']);
});

test('orval', async () => {
  const config = {
    rest: {
      input: './document.json',
      output: { target: './orval/client.ts', client: 'fetch', mode: 'single' },
    },
  };
  writeFileSync(join(made, 'orval.config.mjs'), `export default ${JSON.stringify(config)}`);
  await bin('orval', '--config', 'orval.config.mjs');
  await typeCheck('orval', ['orval/client.ts']);
});

describe('@hey-api/openapi-ts', () => {
  beforeAll(() => bin('openapi-ts', '-i', 'document.json', '-o', 'hey', '--silent'));

  test('has no type errors', () => typeCheck('hey', ['hey/index.ts', 'hey/client.gen.ts']));

  test('reads and writes', async () => {
    const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(made, 'hey', file)).href);
    const { client } = await load('client.gen.ts');
    const sdk = await load('sdk.gen.ts');
    client.setConfig({ baseUrl: `http://127.0.0.1:${server.port}` });
    const read = await sdk.getItems({
      query: { where: JSON.stringify({ id: { _eq: 1 } }), tags: ['a', 'b'], limit: 5 },
    });
    expect(read.data).toMatchObject({
      item: [{ id: 1, name: 'one', status: 'open', tags: ['a', 'b'], data: { k: [1, null] } }],
      item_aggregate: { aggregate: { count: 1 } },
    });
    const added = await sdk.postAdd({
      body: { objects: [{ name: 'three', status: 'closed', data: { x: 'ä' } }] },
    });
    expect(added.data.insert_item).toMatchObject({ affected_rows: 1, returning: [{ status: 'closed' }] });
    const [{ id }] = added.data.insert_item.returning;
    expect((await sdk.getItem({ path: { id } })).data).toEqual({ item_by_pk: { id, __typename: 'item' } });
    expect((await sdk.deleteChangeItem({ path: { id } })).data).toEqual({ delete_item_by_pk: { id } });
    expect((await sdk.getNothing()).data).toEqual({ __typename: 'query_root' });
    const { error, response } = await sdk.getItems({ query: { limit: 1.5 } });
    expect(response.status).toBe(400);
    expect(error).toEqual({ path: '$', code: 'bad-request', error: expect.stringContaining('"limit"') });
  });
});
