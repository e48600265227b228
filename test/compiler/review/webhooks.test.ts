/** What webhooks are sent: the lint's findings, and the answer of `engine audit events`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFolder } from '../../../compiler/cli/output-folder.ts';
import { type CompileResult, compile } from '../../../compiler/index.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { lint } from '../../../compiler/review/lint/index.ts';
import { placeTables } from '../../../compiler/review/lint/place.ts';
import { engine } from '../../harness/command-line.ts';
import { catalogsOf } from '../../harness/compile.ts';
import { defaultSource } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const trigger = (name: string, insert: object, more: object = {}) => ({
  name,
  definition: { enable_manual: false, insert },
  retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
  webhook: 'https://{{HOST}}/in',
  ...more,
});

const METADATA = {
  version: 3,
  sources: [
    defaultSource({
      tables: [
        {
          table: 'person',
          select_permissions: [
            { role: 'a', permission: { columns: ['id'], filter: {} } },
            { role: 'b', permission: { columns: ['name'], filter: {} } },
          ],
          insert_permissions: [{ role: 'a', permission: { columns: ['name'], check: {} } }],
          event_triggers: [
            trigger(
              'fine',
              { columns: '*', payload: ['id', 'name'] },
              {
                signing: { secrets_from_env: ['KEY'] },
                headers: [
                  { name: 'X-Secret', value_from_env: 'SECRET' },
                  { name: 'Authorization', value: 'Bearer {{TOKEN}}' },
                  { name: 'X-Kind', value: 'person' },
                ],
              },
            ),
            trigger('everything', { columns: '*' }, { webhook: 'http://plain.example/x' }),
            trigger(
              'hidden',
              { columns: '*', payload: ['id', 'salary'] },
              {
                headers: [{ name: 'X-Api-Key', value: 'k3y' }],
              },
            ),
          ],
        },
      ],
      functions: [{ function: 'people' }],
    }),
  ],
  api_limits: {
    disabled: false,
    depth_limit: { global: 9, per_role: { a: 7 } },
    rate_limit: { global: { max_reqs_per_min: 100, unique_params: 'IP' }, per_role: {} },
  },
  cron_triggers: [
    {
      name: 'nightly',
      webhook: '{{NIGHTLY}}/x',
      schedule: '0 0 * * *',
      include_in_metadata: true,
      headers: [{ name: 'Authorization', value: 'Bearer abc' }],
    },
  ],
};

let result: CompileResult;
let findings: readonly string[];
let folder: string;
beforeAll(async () => {
  const database = await createTestDatabase(
    `create table person (id int primary key, name text, salary int);
     create function people() returns setof person language sql stable security definer as 'select * from person';`,
  );
  const { value: metadata, diagnostics } = readMetadata(METADATA);
  expect(diagnostics).toEqual([]);
  const catalogs = await catalogsOf(metadata, database.url);
  result = compile({ metadata, catalogs });
  const input = placeTables(metadata, result.state.model, result.state.plan, catalogs);
  findings = lint(input, { publicRoles: [], allow: [] }).map(
    ({ diagnostic: { code, message } }) => `${code}: ${message.split('\n')[0]}`,
  );
  folder = mkdtempSync(join(tmpdir(), 'engine-audit-events-'));
  writeFolder(folder, result.files);
});
afterAll(() => folder && rmSync(folder, { recursive: true }));

test('the lint reports columns that no role may read, and literal credentials', () => {
  expect(findings.filter((line) => /^(payload|credential)/.test(line))).toEqual([
    expect.stringMatching(/^payload-column-unreadable: Event trigger "everything" sends .*: "salary"\.$/),
    expect.stringMatching(/^payload-column-unreadable: Event trigger "hidden" sends .*: "salary"\.$/),
    expect.stringMatching(/^credential-in-metadata: The header "X-Api-Key" of event trigger "hidden"/),
    expect.stringMatching(/^credential-in-metadata: The header "Authorization" of cron trigger "nightly"/),
  ]);
});

test('the lint reports hosts written in the metadata, and functions with the rights of their owner', () => {
  expect(findings.filter((line) => /^(webhook|function)/.test(line))).toEqual([
    expect.stringMatching(
      /^webhook-is-literal: The address of event trigger "everything" .*: plain\.example\.$/,
    ),
    expect.stringMatching(/^function-security-definer: The function people, a root field, runs/),
  ]);
});

test('who names the hosts that get a value, and ledgers what writes send and owners run', async () => {
  const { stdout } = await engine('audit', 'who', 'person.salary', '--generated', folder);
  expect(stdout).toContain('to plain.example: event trigger everything on person, INSERT');
  expect(stdout).toContain('event trigger hidden on person, INSERT');
  expect(stdout).not.toContain('event trigger fine');
  const ledger = result.files.get('roles/a.txt')!;
  expect(ledger).toContain('  insert causes event everything, sent to "http://plain.example/x"');
  expect(ledger).toContain('  runs with the rights of its owner (security definer)');
  const role = (await engine('audit', 'role', 'a', '--generated', folder)).stdout;
  expect(role).toContain(
    'people, rows of public.person; runs with the rights of its owner (security definer)',
  );
  expect(role).toContain('insert public.person causes event hidden');
  expect(role).toContain('Limits\n  depth 7\n  requests a minute 100, for each address');
});

test('engine audit events lists columns, hosts and signatures', async () => {
  const { status, stdout } = await engine('audit', 'events', '--generated', folder);
  expect(status).toBe(0);
  expect(stdout.slice(stdout.indexOf('\n'))).toBe(`

plain.example
  everything   event trigger on default · person
      INSERT sends id, name, salary, and columns that are added later
      sends session variables of the writer
      not signed

{{HOST}}
  fine   event trigger on default · person
      INSERT sends id, name
      sends session variables of the writer
      sends headers X-Secret, Authorization, X-Kind
      signed with KEY
      needs environment variables HOST, SECRET, TOKEN, KEY
  hidden   event trigger on default · person
      INSERT sends id, salary
      sends session variables of the writer
      sends headers X-Api-Key
      not signed
      needs environment variables HOST

{{NIGHTLY}}
  nightly   cron trigger
      sends its payload
      sends headers Authorization
      not signed
      needs environment variables NIGHTLY
`);
  expect(stdout).not.toMatch(/k3y|Bearer/);
});
