/** `engine dev` as a process of its own: what an editor and a person do to it, one thing after the other. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { eachInFolder } from '../../harness/folder.ts';
import { freePort } from '../../harness/free-port.ts';

vi.setConfig({ testTimeout: 240_000 });

const engine = fileURLToPath(new URL('../../../compiler/cli/bin.mjs', import.meta.url));
const folder = eachInFolder();
const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
const TABLE = 'metadata/databases/default/tables/public_notes.yaml';
const at = (path: string) => folder.at(path);

interface Dev {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function dev(port: number, ...args: string[]): Dev {
  const child = spawn(process.execPath, [engine, 'dev', ...args], {
    cwd: at('.'),
    env: { ...environment, ENGINE_GRAPHQL_SERVER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let text = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  return {
    child,
    output: () => text,
    ended: once(child, 'close').then(([status]) => status as number | null),
  };
}

/** What the server answers; undefined while it does not. */
async function ask(port: number, query: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`http://localhost:${port}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    body: JSON.stringify({ query }),
  }).catch(() => undefined);
  return answer?.json();
}

function eventually(read: () => unknown) {
  return expect.poll(read, { timeout: 60_000, interval: 50 });
}

test('a project is served while it is edited', async () => {
  expect(spawnSync(process.execPath, [engine, 'init'], { cwd: at('.'), env: environment }).status).toBe(0);
  const port = await freePort();
  const running = dev(port, '--client-types', 'user=types.ts', '--out', 'generated');
  const says = (text: string) => eventually(() => running.output()).toContain(text);
  await says('Ctrl-C ends everything');
  expect(running.output()).toContain('applied: migrations/1_first/up.sql');
  // What only comparisons of versions need is written as well, as `engine compile` does.
  await eventually(() => existsSync(at('generated/sources/default/database.json'))).toBe(true);
  const query = '{ notes(limit: 3) { body created_at id title } }';
  expect(running.output()).toContain(JSON.stringify({ query }));
  expect(await ask(port, query)).toEqual({ data: { notes: [] } });
  expect((await fetch(`http://localhost:${port}/console`)).status).toBe(200);
  const state = await (await fetch(`http://localhost:${port}/engine/console/state`)).json();
  expect(state).toMatchObject({ mode: 'write', writesFiles: true });
  const page = await (await fetch(`http://localhost:${port}/graphiql`)).text();
  expect(page).toContain('"name":"admin"');
  const user = { 'x-engine-role': 'user', 'x-engine-user-id': '6c5bb5d4-7c5c-4d9b-8a5e-0d8e7a0f4f11' };

  // A permission, with the types of the role's clients.
  const plain = readFileSync(at(TABLE), 'utf8');
  const permission = (column: string) =>
    `select_permissions:\n  - role: user\n    permission: { columns: [id, ${column}], filter: { user_id: { _eq: X-Engine-User-Id } } }\n`;
  writeFileSync(at(TABLE), plain + permission('title'));
  await eventually(() => ask(port, '{ notes { title } }', user)).toEqual({ data: { notes: [] } });
  await eventually(() => existsSync(at('types.ts')) && readFileSync(at('types.ts'), 'utf8')).toContain(
    'export type Notes = {',
  );

  // Half of a file changes nothing; a name that is wrong costs what has it. Both are told, and when they are mended.
  writeFileSync(at(TABLE), 'table:\n  name: notes\n  schema: [public\n');
  await says('not served; what was served stays, 1 error');
  expect(running.output()).toContain(`${TABLE}:4:1\n  This is not YAML`);
  expect(await ask(port, '{ notes { title } }', user)).toEqual({ data: { notes: [] } });
  writeFileSync(at(TABLE), plain + permission('titel'));
  await says('Did you mean "title"?');
  await says('mended: metadata-yaml-invalid');
  await eventually(() => ask(port, '{ notes { title } }', user)).toMatchObject({
    errors: [{ extensions: { code: 'validation-failed' } }],
  });
  // As editors do that write beside the file.
  writeFileSync(at(`${TABLE}.new`), plain + permission('title'));
  renameSync(at(`${TABLE}.new`), at(TABLE));
  await says('mended: permission-column-missing');
  await eventually(() => ask(port, '{ notes { title } }', user)).toEqual({ data: { notes: [] } });

  // Rows outlive a further migration; one that fails changes nothing.
  await ask(port, 'mutation { insert_users_one(object: { name: "Ann" }) { name } }');
  mkdirSync(at('migrations/2_mail'));
  writeFileSync(at('migrations/2_mail/up.sql'), 'alter table users add mail text;');
  const users = (column: string) => () => ask(port, `{ users { name ${column} } }`);
  await eventually(users('mail')).toEqual({ data: { users: [{ name: 'Ann', mail: null }] } });
  writeFileSync(at('migrations/3_wrong.sql'), 'alter table userz add phone text;');
  await says('relation "userz" does not exist');
  expect(running.output()).toContain('migration-failed  migrations/3_wrong.sql:1:1');
  rmSync(at('migrations/3_wrong.sql'));
  expect(await users('mail')()).toEqual({ data: { users: [{ name: 'Ann', mail: null }] } });

  // Where an applied file changes, the database is another one, and the former is kept.
  writeFileSync(at('migrations/2_mail/up.sql'), 'alter table users add email text;');
  await says('The rows that you had are kept in');
  await eventually(users('email')).toEqual({ data: { users: [] } });
  const [, former] = /kept in (\S+) until/.exec(running.output())!;
  expect(existsSync(former!)).toBe(true);
  // As after a change of branches, and back.
  writeFileSync(at('migrations/2_mail/up.sql'), 'alter table users add mail text;');
  await says('the database from before is used again');
  await eventually(users('mail')).toEqual({ data: { users: [{ name: 'Ann', mail: null }] } });

  // The metadata API writes the files.
  const change = {
    type: 'pg_create_select_permission',
    args: { table: 'users', role: 'user', permission: { columns: ['name'], filter: {} } },
  };
  const changed = await fetch(`http://localhost:${port}/v1/metadata`, {
    method: 'POST',
    body: JSON.stringify(change),
  });
  expect(await changed.json()).toEqual({ message: 'success' });
  expect(readFileSync(at('metadata/databases/default/tables/public_users.yaml'), 'utf8')).toContain(
    'role: user',
  );
  expect(await ask(port, '{ users { name } }', user)).toEqual({ data: { users: [{ name: 'Ann' }] } });

  // A secret from .env.
  appendFileSync(at('.env'), "ENGINE_GRAPHQL_ADMIN_SECRET='of-this-project'\n");
  await eventually(() => ask(port, '{ __typename }')).toMatchObject({
    errors: [{ extensions: { code: 'access-denied' } }],
  });
  const secret = { 'x-engine-admin-secret': 'of-this-project' };
  expect(await ask(port, '{ users { name } }', secret)).toEqual({ data: { users: [{ name: 'Ann' }] } });
  writeFileSync(at('.env'), 'ENGINE_GRAPHQL_LOG_LEVEL=loud\n');
  await says('Environment variable ENGINE_GRAPHQL_LOG_LEVEL: expected one of');
  expect(await ask(port, '{ users { name } }', secret)).toEqual({ data: { users: [{ name: 'Ann' }] } });

  running.child.kill('SIGINT');
  expect(await running.ended).toBe(0);
  await expectNothingLeft(port);

  // The next start finds the rows; another one beside it does not start.
  rmSync(at('.env'));
  const again = dev(port);
  await eventually(() => again.output()).toContain('Ctrl-C ends everything');
  expect(again.output()).not.toContain('applied:');
  const beside = dev(await freePort());
  expect(await beside.ended).toBe(1);
  expect(beside.output()).toContain('is already running');
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
  await expectNothingLeft(port);
});

/** No listener, no PostgreSQL of the folder. */
async function expectNothingLeft(port: number): Promise<void> {
  expect(await ask(port, '{ __typename }')).toBeUndefined();
  const list = () => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
  await eventually(() =>
    list()
      .split('\n')
      .filter((line) => line.includes(at('.'))),
  ).toEqual([]);
}

test('what is in the way is told in a sentence', async () => {
  const nothing = spawnSync(process.execPath, [engine, 'dev', '--metadata', 'elsewhere'], {
    cwd: at('.'),
    env: environment,
    encoding: 'utf8',
  });
  expect([nothing.status, nothing.stderr]).toEqual([
    2,
    'There is no elsewhere here: engine init writes a project, and --metadata names metadata that is elsewhere.\n',
  ]);
  folder.write('metadata/version.yaml', 'version: 3\n');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = dev(port);
  expect(await taken.ended).toBe(1);
  expect(taken.output()).toContain(
    `port ${port} is taken by another program: stop it, or choose another one`,
  );
  other.close();
});
