/** `POST /engine/console/proposal`, without a browser: what a change does is what the command line says of it, and nothing is stored. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { metadataFolder } from '../../../compiler/cli/metadata-folder.ts';
import { writeFolder } from '../../../compiler/cli/output-folder.ts';
import { readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { openReviews } from '../../../compiler/review/console.ts';
import { answerProposal } from '../../../runtime/console/proposal.ts';
import type {
  ModelAnswer,
  PreviewAnswer,
  Proposal,
  ProposalAnswer,
  TableAnswer,
} from '../../../runtime/console/proposal-questions.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { exportMetadata } from '../../../runtime/metadata/export-metadata.ts';
import { answerRequest, openMetadataStore, readRequest } from '../../../runtime/metadata-api/index.ts';
import { readAuditCases } from '../../harness/audit-cases.ts';
import { engine } from '../../harness/command-line.ts';
import { type ServedEngine, startMetadataEngine } from '../../harness/metadata-engine.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const project = fileURLToPath(new URL('../../cases/audit/project/', import.meta.url));
const session = { vocabulary: CANONICAL, role: 'admin', variables: {}, backendOnly: false };

const reviews = openReviews();
let served: ServedEngine;
let folder: string;
let close: () => Promise<void>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-proposal-'));
  const own = await createTestDatabase('');
  const database = await createTestDatabase(`${readFileSync(join(project, 'schema.sql'), 'utf8')};
    create table note (id int primary key, ticket_id int references ticket);
    create table "untracked café" (id int primary key);`);
  const store = await openMetadataStore(own.url, CANONICAL);
  served = await startMetadataEngine(store, database.url);
  const metadata = parse(readFileSync(join(project, 'metadata.yaml'), 'utf8'));
  metadata.sources[0].configuration = {
    ...metadata.sources[0].configuration,
    connection_info: { database_url: database.url },
  };
  await change('replace_metadata', { metadata, allow_inconsistent_metadata: true });
  close = async () => {
    await served.engine.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
}, 60_000);
afterAll(() => close?.());

function change(type: string, args: object): Promise<string> {
  return answerRequest(served.engine, '/v1/metadata', JSON.stringify({ type, args }), { session });
}

async function propose<Shown = PreviewAnswer>(
  operations: readonly object[],
  more: Partial<Proposal> = {},
): Promise<ProposalAnswer<Shown>> {
  const proposal = { operations, show: { page: 'preview' }, ...more };
  return JSON.parse(await answerProposal(JSON.stringify(proposal), served.engine, reviews));
}

const asTable = (name: string) => ({ schema: 'public', name });
const showTable = (name: string) => ({
  show: { page: 'table', source: 'default', table: asTable(name) } as const,
});

/** `engine audit diff`, of folders as `engine compile` writes them. */
async function auditDiff(base: ReadonlyMap<string, string>, head: ReadonlyMap<string, string>) {
  const place = (side: string, files: ReadonlyMap<string, string>) => {
    writeFolder(join(folder, side), files);
    return join(folder, side);
  };
  const places = [place('base', base), place('head', head)];
  const { stdout } = await engine('audit', 'diff', ...places, '--format', 'json');
  return JSON.parse(stdout) as { readonly findings: readonly object[]; readonly notCompared: string };
}

/** Places are those of the folders. */
function told(findings: readonly object[]): unknown[] {
  return findings.map((finding) => ({ ...finding, place: undefined }));
}

type Written = Readonly<Record<string, unknown>>;

const KINDS = ['select', 'insert', 'update', 'delete'] as const;

/** Requests that change a role's permission as a case of the audit says: keys are replaced, null removes. */
function requestsOf(tables: Readonly<Record<string, Written>>): object[] {
  const document = exportMetadata(served.engine.state.metadata) as unknown as {
    readonly sources: readonly [
      { readonly tables: readonly ({ readonly table: { readonly name: string } } & Written)[] },
    ];
  };
  return Object.entries(tables).flatMap(([table, parts]) => {
    const entry = document.sources[0].tables.find((each) => each.table.name === table);
    return KINDS.flatMap((kind) =>
      Object.entries((parts[`${kind}_permissions`] ?? {}) as Written).flatMap(([role, given]) => {
        const list = (entry?.[`${kind}_permissions`] ?? []) as { role: string; permission: Written }[];
        const known = list.find((each) => each.role === role);
        const place = { source: 'default', table: asTable(table), role };
        const drop = known ? [{ type: `pg_drop_${kind}_permission`, args: place }] : [];
        if (given === null) return drop;
        const permission: Record<string, unknown> = { ...known?.permission, ...(given as Written) };
        for (const [key, value] of Object.entries(permission)) if (value === null) delete permission[key];
        return [...drop, { type: `pg_create_${kind}_permission`, args: { ...place, permission } }];
      }),
    );
  });
}

const cases = readAuditCases().flatMap(({ name, change: given, sql, before }) => {
  const { tables = {}, ...others } = given ?? {};
  const isOfPermissions = Object.values(tables).every((parts) =>
    Object.keys(parts).every((key) => key.endsWith('_permissions')),
  );
  const isOurs = !sql && !before && Object.keys(others).length === 0 && isOfPermissions;
  return isOurs && Object.keys(tables).length > 0 ? [{ name, tables }] : [];
});

/** Further changes: each permission of the project dropped, opened, or without its last column. */
function generated(): { readonly name: string; readonly operations: readonly object[] }[] {
  const { tables } = served.engine.state.metadata.sources[0]!;
  return tables.flatMap((entry) =>
    KINDS.flatMap((kind) =>
      entry[`${kind}_permissions`].flatMap(({ role, permission }) => {
        const place = { source: 'default', table: entry.table, role };
        const drop = { type: `pg_drop_${kind}_permission`, args: place };
        const create = (changed: object) => ({
          type: `pg_create_${kind}_permission`,
          args: { ...place, permission: { ...permission, ...changed } },
        });
        const name = `${kind} of ${role} on ${entry.table.name}`;
        const { columns } = permission as { readonly columns?: unknown };
        return [
          { name: `${name} dropped`, operations: [drop] },
          {
            name: `${name} opened`,
            operations: [drop, create(kind === 'insert' ? { check: {} } : { filter: {} })],
          },
          ...(Array.isArray(columns) && columns.length > 1
            ? [{ name: `${name} narrowed`, operations: [drop, create({ columns: columns.slice(0, -1) })] }]
            : []),
        ];
      }),
    ),
  );
}

describe('a preview', () => {
  test('says what engine audit diff says', { timeout: 300_000 }, async () => {
    const base = served.engine.state.compilation.files;
    const { resourceVersion } = served.engine.state;
    const changes = [
      ...cases.map(({ name, tables }) => ({ name, operations: requestsOf(tables) })),
      ...generated().filter((_, index) => index % 6 === 0),
    ];
    const verdicts = new Set<unknown>();
    let compared = 0;
    for (const { name, operations } of changes) {
      const preview = await propose([{ type: 'bulk', args: operations }]);
      const head = await served.engine.propose(async (copy) => {
        const answers = preview.problems.length === 0 ? operations : [];
        for (const operation of answers) {
          const { operation: step, args } = readRequest('/v1/metadata', operation, CANONICAL);
          await step.run(args as never, copy, { session, endpoint: '/v1/metadata', version: undefined });
        }
        await copy.check();
        return copy.compilation.files;
      });
      const expected = await auditDiff(base, head);
      const { findings, notCompared } = preview.shown.audit;
      expect([name, told(findings), notCompared]).toEqual([
        name,
        told(expected.findings),
        expected.notCompared,
      ]);
      for (const { verdict } of findings) verdicts.add(verdict);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(60);
    expect([...verdicts].sort()).toEqual(['narrower', 'undecidable', 'wider']);
    expect(served.engine.state.resourceVersion).toBe(resourceVersion);
    expect(served.engine.state.compilation.files).toBe(base);
  });

  test('has the statements, the access lines and the lint findings of what changes', async () => {
    const place = { source: 'default', table: asTable('ticket'), role: 'newcomer' };
    const { problems, shown } = await propose([
      {
        type: 'pg_create_select_permission',
        args: { ...place, permission: { columns: ['id', 'subject'], filter: {}, limit: 7 } },
      },
      {
        type: 'pg_create_update_permission',
        args: { ...place, permission: { columns: ['subject'], filter: { id: { _eq: 'X-Engine-User-Id' } } } },
      },
      { type: 'pg_create_delete_permission', args: { ...place, permission: { filter: {} } } },
      {
        type: 'pg_create_insert_permission',
        args: { ...place, permission: { columns: ['subject'], check: {}, set: { status: 'new' } } },
      },
    ]);
    expect(problems).toEqual([]);
    const sql = Object.fromEntries(shown.statements.map((each) => [each.operation, each.sql]));
    expect(sql.select).toMatch(/limit 7/);
    expect(sql.update).toMatch(/^(with .*)?update/is);
    expect(sql.delete).toMatch(/delete from "public"\."ticket"/);
    expect(sql.insert).toMatch(/insert into "public"\."ticket"/);
    expect(shown.lint.added.map(({ code }) => code)).toContain('rule-without-session');
    expect(shown.files.map(({ path }) => path).slice(0, 2)).toEqual([
      'generated/roles/newcomer.txt',
      'generated/sources/default/public/ticket.access.ts',
    ]);
    expect(shown.files[0]!.difference).toContain('+   select columns id, subject');
  });

  test('names the operation that fails, and shows the others', async () => {
    const tag = { source: 'default', table: asTable('tag') };
    const { problems, shown } = await propose([
      {
        type: 'pg_create_select_permission',
        args: { ...tag, role: 'r', permission: { columns: ['no'], filter: {} } },
      },
      {
        type: 'pg_create_select_permission',
        args: { ...tag, role: 'r', permission: { columns: ['id'], filter: {} } },
      },
    ]);
    expect(problems).toEqual([
      { index: 0, code: 'invalid-configuration', message: expect.stringContaining('"no"') },
    ]);
    expect(shown.audit.findings).toMatchObject([{ verdict: 'wider', role: 'r' }]);
  });

  const REFUSED: readonly object[] = [
    { type: 'run_sql', args: { sql: 'drop table tag' } },
    { type: 'bulk', args: [{ type: 'run_sql', args: { sql: 'drop table tag' } }] },
    {
      type: 'bulk_keep_going',
      args: [{ type: 'bulk', args: [{ type: 'run_sql', args: { sql: 'drop table tag' } }] }],
    },
    {
      type: 'create_scheduled_event',
      args: { webhook: 'http://x', schedule_at: '2030-01-01T00:00:00Z', payload: {} },
    },
    { type: 'set_catalog_state', args: { type: 'cli', state: {} } },
    { type: 'export_metadata', args: {} },
  ];
  test.each(REFUSED)('refuses an operation that does more than change metadata: $type', async (operation) => {
    await expect(propose([operation])).rejects.toMatchObject({
      code: 'not-supported',
      path: expect.stringMatching(/^\$\.operations\[0\]/),
    });
  });

  test.each([
    ['{', 'invalid-json'],
    ['[]', 'bad-request'],
    ['{"operations": {}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "other"}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "table", "source": "default"}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "remote"}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "remote", "name": "a", "role": 1}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "remote", "name": "a", "chosen": "Query.a"}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "remote", "name": "a", "chosen": [1]}}', 'bad-request'],
    ['{"operations": [], "show": {"page": "action", "text": {}}}', 'bad-request'],
    ['{"operations": [{"type": "nothing"}], "show": {"page": "model"}}', 'parse-failed'],
  ])('refuses %s', async (text, code) => {
    await expect(answerProposal(text, served.engine, reviews)).rejects.toMatchObject({ code });
  });
});

describe('the patch', () => {
  /** The folder of the metadata that is served, changed by the patch, as git applies it. */
  function applied(patch: string, from: ReadonlyMap<string, string>) {
    const place = mkdtempSync(join(folder, 'git-'));
    for (const [path, text] of from) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place, stdio: 'pipe' });
    git('init', '--quiet');
    writeFileSync(join(folder, 'change.patch'), patch);
    git('apply', join(folder, 'change.patch'));
    return exportMetadata(readMetadataFile(place).value);
  }

  const tag = { source: 'default', table: asTable('tag') };
  const CHANGES: readonly (readonly [string, readonly object[]])[] = [
    [
      'a table is new',
      [{ type: 'pg_track_table', args: { source: 'default', table: asTable('untracked café') } }],
    ],
    ['a table is gone', [{ type: 'pg_untrack_table', args: { ...tag, cascade: true } }]],
    [
      'a table has another name',
      [{ type: 'pg_set_table_customization', args: { ...tag, configuration: { custom_name: 'label' } } }],
    ],
    [
      'a rule has texts that look like a patch',
      [
        {
          type: 'pg_create_select_permission',
          args: {
            ...tag,
            role: 'r',
            permission: { columns: '*', filter: { name: { _in: ['a\nb', '--- a', '+'] } } },
          },
        },
      ],
    ],
    ['nothing', []],
  ];
  test.each(CHANGES)('applies with git: %s', async (_, operations) => {
    const { metadata } = served.engine.state;
    const { problems, shown } = await propose(operations);
    expect(problems).toEqual([]);
    const expected = await served.engine.propose(async (copy) => {
      for (const operation of operations) {
        const { operation: step, args } = readRequest('/v1/metadata', operation, CANONICAL);
        await step.run(args as never, copy, { session, endpoint: '/v1/metadata', version: undefined });
      }
      return exportMetadata(copy.metadata);
    });
    const patched =
      shown.patch === '' ? exportMetadata(metadata) : applied(shown.patch, metadataFolder(metadata));
    expect(patched).toEqual(expected);
  });

  test('from nothing makes the whole folder', async () => {
    const { shown } = await propose([], { show: { page: 'preview', since: null } });
    expect(applied(shown.patch, new Map())).toEqual(exportMetadata(served.engine.state.metadata));
    // The address of the source has a password.
    expect(shown.secrets).toEqual([expect.stringMatching(/database_url: put the address/)]);
  });
});

describe('the model', () => {
  test('has what is not tracked, what foreign keys suggest, and follows operations', async () => {
    const show = { show: { page: 'model' } as const };
    const before = (await propose<ModelAnswer>([], show)).shown.sources[0]!;
    expect(before.tables.filter(({ isTracked }) => !isTracked).map(({ name }) => name)).toContain(
      'untracked café',
    );
    const untracked = before.tables.find(({ name }) => name === 'note')!;
    expect(untracked).toMatchObject({ isTracked: false, kind: 'table', roles: [] });
    const track = { type: 'pg_track_table', args: { source: 'default', table: asTable('note') } };
    const after = (await propose<ModelAnswer>([track], show)).shown.sources[0]!;
    const suggested = after.suggestions.filter(({ from }) => from.name === 'note');
    expect(suggested).toEqual([
      {
        type: 'object',
        name: 'ticket',
        from: asTable('note'),
        to: asTable('ticket'),
        over: 'ticket_id → id',
        using: { foreign_key_constraint_on: 'ticket_id' },
      },
    ]);
    // Every suggestion can be accepted.
    const relate = after.suggestions.map(({ type, name, using, from }) => ({
      type: `pg_create_${type}_relationship`,
      args: { source: 'default', table: from, name, using },
    }));
    const all = await propose<ModelAnswer>([track, { type: 'bulk_atomic', args: relate }], show);
    expect([all.problems, all.shown.sources[0]!.suggestions]).toEqual([[], []]);
  });

  test('has a table with columns, operators, relationships and permissions', async () => {
    const { shown } = await propose<TableAnswer>([], showTable('ticket'));
    expect(shown.columns.find(({ name }) => name === 'subject')).toMatchObject({
      type: 'text',
      input: 'text',
    });
    const { operators } = shown.columns.find(({ name }) => name === 'id')!;
    expect(operators).toContainEqual({ name: '_in', operand: 'list' });
    expect(operators).toContainEqual({ name: '_ceq', operand: 'column' });
    expect(shown.relationships.length).toBeGreaterThan(0);
    expect(shown.permissions).toEqual(shown.served);
    expect(shown.roles).toContain('customer');
    expect(shown.variables).toContain('x-engine-user-id');
    expect(await propose([], showTable('no such'))).toMatchObject({ shown: null });
  });

  test('keeps the digits of numbers in rules', async () => {
    const create = `{"type": "pg_create_select_permission", "args": {"source": "default", "table": "agent", "role": "r",
      "permission": {"columns": ["id"], "filter": {"hourly_cost": {"_lt": 12345678901234567890}}}}}`;
    const show = JSON.stringify(showTable('agent').show);
    const text = `{"operations": [${create}], "show": ${show}}`;
    expect(await answerProposal(text, served.engine, reviews)).toContain('"_lt":12345678901234567890');
  });
});
