/** The command `engine test` with databases that it makes of migrations: it starts a PostgreSQL for each. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../../compiler/cli/cli.ts';
import { engine } from '../../../harness/command-line.ts';
import { metadata, OWN, ROWS, SCHEMA } from './setting.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-permission-tests-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the command makes the database of migrations, and fails when a check does', async () => {
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(join(folder, 'migrations/1.sql'), SCHEMA);
  writeFileSync(join(folder, 'seed.sql'), ROWS);
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata({ ...OWN, public: true })));
  const engine = async (...more: string[]) => {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const place = [
      '--metadata',
      join(folder, 'metadata.json'),
      '--migrations',
      join(folder, 'migrations'),
      '--seed',
      join(folder, 'seed.sql'),
    ];
    const status = await run(['test', ...place, ...more], { environment: {}, stdout: write, stderr: write });
    return { status, output };
  };
  const good = await engine('--junit', join(folder, 'results.xml'));
  expect(good).toMatchObject({ status: 0, output: expect.stringContaining('Checks     5 passed') });
  expect(good.output).toMatch(/beyond the cases: what \d+ functions?, \d+ views?, \d+ triggers? do\n/);
  expect(readFileSync(join(folder, 'results.xml'), 'utf8')).toContain('failures="0"');
  const low = await engine('--mutations', '--minimum-score', '90');
  expect(low).toMatchObject({
    status: 1,
    output: expect.stringContaining('The mutation score of 10 % is below 90 %.'),
  });
});

/** Objects that cannot be served, beside the table whose permission is tested. */
const MISFITS = {
  remote_schemas: [
    { name: 'unset', definition: { url_from_env: 'NOT_SET' } },
    { name: 'away', definition: { url: 'http://127.0.0.1:1' } },
  ],
  actions: [
    {
      name: 'act',
      definition: {
        kind: 'synchronous',
        type: 'query',
        handler: 'http://localhost',
        output_type: 'Lost',
        arguments: [],
      },
    },
  ],
  inherited_roles: [{ role_name: 'lead', role_set: ['nobody'] }],
};
const TABLE_MISFITS = {
  object_relationships: [{ name: 'lost', using: { foreign_key_constraint_on: 'mail' } }],
  computed_fields: [{ name: 'worth', definition: { function: 'lost' } }],
  delete_permissions: [{ role: 'user', permission: { filter: { lost: 1 } } }],
};
const LEFT_OUT = [
  ...['remote_schemas.unset', 'remote_schemas.away', 'actions.act', 'inherited_roles.lead'],
  ...['object_relationships.lost', 'computed_fields.worth', 'delete_permissions.user'],
];

test('what is inconsistent is listed and left out by every command', async () => {
  const place = join(folder, 'misfit');
  mkdirSync(join(place, 'migrations'), { recursive: true });
  writeFileSync(join(place, 'migrations/1.sql'), SCHEMA + ROWS);
  const document = { ...metadata({ ...OWN, public: true }, TABLE_MISFITS), ...MISFITS };
  writeFileSync(join(place, 'metadata.json'), JSON.stringify(document));
  const project = ['--metadata', join(place, 'metadata.json'), '--migrations', join(place, 'migrations')];
  const listed = (text: string) => LEFT_OUT.filter((object) => text.includes(object));
  const failed = await engine('test', ...project);
  expect(failed.status).toBe(1);
  expect(listed(failed.stderr)).toEqual(LEFT_OUT);
  expect(failed.stdout).toMatch(/Checks {5}5 passed\nLeft out {3}7 inconsistent objects\n/);
  const mutants = await engine('test', ...project, '--allow-inconsistent', '--mutations');
  expect(mutants.status).toBe(0);
  expect(listed(mutants.stderr)).toEqual(LEFT_OUT);
  expect(mutants.stdout).toMatch(/Mutations {2}[1-9]/);
  const schema = await engine('schema', ...project, '--role', 'user');
  expect(schema).toMatchObject({ status: 0, stdout: expect.stringContaining('type task') });
  expect(listed(schema.stderr)).toEqual(LEFT_OUT);
  expect(listed((await engine('lint', ...project)).stdout)).toEqual(LEFT_OUT);
  const out = join(place, 'generated');
  const compiled = await engine('compile', ...project, '--allow-inconsistent', '--out', out);
  expect(listed(compiled.stdout + compiled.stderr)).toEqual(LEFT_OUT);
  const matrix = await engine('audit', 'matrix', '--generated', out);
  expect(matrix).toMatchObject({ status: 0, stdout: expect.stringContaining('task') });
  expect((await engine('check', out, out)).status).toBe(0);
});

test('the base is a path, or a revision that has metadata at the same path', async () => {
  const project = join(folder, 'project');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: project });
  mkdirSync(join(project, 'migrations'), { recursive: true });
  writeFileSync(join(project, 'migrations/1.sql'), SCHEMA + ROWS);
  const write = (file: string, filter: object) =>
    writeFileSync(join(project, file), JSON.stringify(metadata(filter)));
  write('metadata.json', OWN);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'base');
  write('metadata.json', { public: true });
  write('other.json', {});
  const bin = fileURLToPath(new URL('../../../../compiler/cli/bin.mjs', import.meta.url));
  const engine = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [bin, 'test', '--metadata', 'metadata.json', '--migrations', 'migrations', ...args],
      { cwd: project, encoding: 'utf8' },
    );
  expect(engine()).toMatchObject({ status: 0, stdout: expect.stringContaining('Checks     0 passed') });
  expect(engine('--base', 'HEAD')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining(' × HEAD: user · select · task (3/5)'),
  });
  expect(engine('--base', 'other.json').status).toBe(0);
  expect(engine('--base', 'HEAD:other.json')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Revision HEAD has no other.json.'),
  });
  expect(engine('--base', 'no-such-place').status).toBe(2);
}, 300_000);
