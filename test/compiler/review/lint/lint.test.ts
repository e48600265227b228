import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import {
  DEFAULT_PUBLIC_ROLES,
  type LintConfiguration,
} from '../../../../compiler/review/lint/configuration.ts';
import { LINT_CODES, lint } from '../../../../compiler/review/lint/index.ts';
import { placeTables } from '../../../../compiler/review/lint/place.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { diagnostics as messages } from '../../../../runtime/diagnostics/catalogue.ts';
import { engine } from '../../../harness/command-line.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create table tenant (id int primary key);
  create table account (id int primary key, tenant_id int references tenant, owner int, name text, remark text, public boolean);
  create index on account (owner);
  create index on account (tenant_id);
  create table note (id int primary key, account_id int references account, writer int, body text, facts jsonb, area box);
  create view card as select id, owner, name, remark from account;
  create view summary as select owner, count(*) as accounts, max(remark) as latest from account group by owner;
  create function initials(account) returns text language sql stable as $$ select left($1.name, 1) || left($1.remark, 1) $$;
`;

const foreignKey = (on: unknown) => ({ foreign_key_constraint_on: on });

let database: TestDatabase;
let catalogs: Record<string, SourceCatalog>;

/** Metadata with permissions of role `user` (or others) on a table. */
function metadata(tables: Readonly<Record<string, object>>): object {
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: 'postgres://localhost/none' } },
        tables: [
          { table: 'tenant', ...tables.tenant },
          {
            table: 'account',
            array_relationships: [
              { name: 'notes', using: foreignKey({ table: 'note', column: 'account_id' }) },
            ],
            computed_fields: [{ name: 'initials', definition: { function: 'initials' } }],
            ...tables.account,
          },
          {
            table: 'note',
            object_relationships: [{ name: 'account', using: foreignKey('account_id') }],
            ...tables.note,
          },
          { table: 'card', ...tables.card },
          { table: 'summary', ...tables.summary },
        ],
      },
    ],
  };
}

beforeAll(async () => {
  database = await createTestDatabase(SQL);
  catalogs = await catalogsOf(readMetadata(metadata({})).value, database.url);
});

function findings(tables: Readonly<Record<string, object>>, configuration: Partial<LintConfiguration> = {}) {
  const { value } = readMetadata(metadata(tables));
  const { state, diagnostics } = compile({ metadata: value, catalogs });
  expect(diagnostics).toEqual([]);
  const all = { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [], ...configuration };
  return lint(placeTables(value, state.model, state.plan, catalogs), all).map(({ diagnostic }) => diagnostic);
}

function codes(
  tables: Readonly<Record<string, object>>,
  configuration?: Partial<LintConfiguration>,
): string[] {
  return findings(tables, configuration).map(({ code }) => code);
}

const permission = (operation: string, body: object, role = 'user') => ({
  [`${operation}_permissions`]: [{ role, permission: body }],
});
const select = (filter: object, columns: unknown = ['id'], role = 'user') =>
  permission('select', { columns, filter }, role);
const OWN = { owner: 'X-Engine-User-Id' };

// Leaks as they happened to others.

test('an _or that lets everybody in beside the caller', () => {
  const leak = { _or: [OWN, { public: { _eq: true } }] };
  const [finding] = findings({ account: select(leak) });
  expect(finding).toMatchObject({
    code: 'or-branch-without-session',
    path: ['sources', 0, 'tables', 1, 'select_permissions', 0, 'permission', 'filter', '_or', 1],
  });
  expect(finding!.details).toContain('Every caller gets the rows of this branch: {"public":{"_eq":true}}');
  const tenant = { tenant_id: 'X-Engine-Tenant-Id' };
  // The session stands beside the _or, in whichever spelling.
  expect(codes({ account: select({ ...tenant, ...leak }) })).toEqual([]);
  expect(codes({ account: select({ _and: [leak, tenant] }) })).toEqual([]);
  expect(codes({ account: select({ _and: [leak] }) })).toEqual(['or-branch-without-session']);
  expect(codes({ account: select({ _and: [leak, { id: { _gt: 3 } }] }) })).toEqual([
    'or-branch-without-session',
  ]);
  expect(codes({ account: select({ _or: [{ public: { _eq: true } }, { id: 3 }] }) })).toEqual([]);
  expect(codes({ account: select({ _or: [OWN, tenant] }) })).toEqual([]);
});

test('an _or inside a relationship or _exists', () => {
  const leak = { _or: [OWN, { public: { _eq: true } }] };
  const [finding] = findings({ note: select({ account: leak }) });
  expect(finding).toMatchObject({
    code: 'or-branch-without-session',
    path: ['sources', 0, 'tables', 2, 'select_permissions', 0, 'permission', 'filter', 'account', '_or', 1],
  });
  expect(codes({ note: select({ account: leak, writer: 'X-Engine-User-Id' }) })).not.toContain(
    'or-branch-without-session',
  );
  const correlated = { id: { _ceq: ['$', 'account_id'] } };
  const exists = { _exists: { _table: 'account', _where: { _and: [correlated, leak] } } };
  expect(codes({ note: select(exists) })).toEqual(['or-branch-without-session']);
});

test('demands that are none: a column compared with itself, a table without a join', () => {
  expect(codes({ account: select({ ...OWN, tenant_id: { _ceq: 'tenant_id' } }) })).toEqual([
    'column-compared-with-itself',
  ]);
  expect(codes({ account: select({ ...OWN, id: { _ceq: 'tenant_id' } }) })).toEqual([]);
  const note = (where: object) => ({ ...OWN, _exists: { _table: 'note', _where: where } });
  expect(codes({ account: select(note({ writer: 'X-Engine-User-Id' })) })).toEqual(['exists-not-correlated']);
  expect(codes({ account: select(note({ account_id: { _ceq: ['$', 'id'] } })) })).toEqual([]);
  expect(codes({ account: select(note({ account_id: { _ceq: 'account_id' } })) })).toEqual([
    'exists-not-correlated',
    'column-compared-with-itself',
  ]);
});

test('rules that can raise an error for a row', () => {
  const told = (filter: object) =>
    findings({ note: select({ writer: 'X-Engine-User-Id', ...filter }) })
      .filter(({ code }) => code === 'rule-can-fail')
      .map(({ message }) => /row: (.*)\.$/.exec(message)?.[1]);
  const box = '(1,1),(0,0)';
  expect(told({ body: { _regex: '^a' }, area: { _gt: box } })).toEqual(['_gt on "area", _regex on "body"']);
  expect(told({ body: { _like: 'X-Engine-Pattern' } })).toEqual(['_like on "body"']);
  expect(told({ account: { initials: { _eq: 'ab' } } })).toEqual(['the computed field "initials"']);
  expect(told({ facts: { _cast: { String: { _similar: 'a' } } } })).toEqual(['_similar on "facts"']);
  expect(told({ _not: { _exists: { _table: 'note', _where: { area: { _eq: box } } } } })).toEqual([
    '_eq on "area"',
  ]);
  const total = { _cast: { String: { _ilike: '%a%' } }, _contains: { a: 1 }, _has_key: 'X-Engine-Key' };
  expect(told({ body: { _like: 'a%' }, facts: total, area: { _is_null: true } })).toEqual([]);
  expect(told({ account: { owner: { _in: 'X-Engine-Owners' }, id: { _ceq: ['$', 'account_id'] } } })).toEqual(
    [],
  );
});

test('a row that can be given away: an ownership column that can be rewritten', () => {
  const update = (columns: readonly string[], check: unknown) =>
    permission('update', { columns, filter: OWN, check });
  expect(codes({ account: update(['owner', 'name'], null) })).toEqual(['row-can-be-given-away']);
  // A check about something else does not help.
  expect(codes({ account: update(['owner'], { name: { _neq: '' } }) })).toEqual(['row-can-be-given-away']);
  expect(codes({ account: update(['owner'], OWN) })).toEqual([]);
  expect(codes({ account: update(['name'], null) })).toEqual([]);
  // Through a relationship it is the key.
  const note = (columns: readonly string[]) =>
    permission('update', { columns, filter: { account: OWN }, check: null });
  expect(findings({ note: note(['body', 'account_id']) }).map(({ message }) => message)).toEqual([
    'Role "user" may update column "account_id" of table note, on which its row rule depends, and no check binds the new value to the session.',
  ]);
  expect(codes({ note: note(['body']) })).toEqual([]);
});

test('an owner that the client chooses', () => {
  const insert = (body: object) => ({
    ...select(OWN),
    ...permission('insert', { columns: ['id', 'owner'], check: {}, ...body }),
  });
  expect(codes({ account: insert({}) })).toEqual(['owner-can-be-chosen']);
  expect(codes({ account: insert({ check: OWN }) })).toEqual([]);
  expect(codes({ account: insert({ columns: ['id'], set: OWN }) })).toEqual([]);
});

test('* grants what comes later: for writing to anybody, for reading to the public', () => {
  expect(codes({ account: select({}, '*', 'public') })).toEqual(['all-columns-granted']);
  expect(codes({ account: select({}, '*') })).toEqual([]);
  expect(codes({ account: select({}, '*') }, { publicRoles: ['user'] })).toEqual(['all-columns-granted']);
  expect(codes({ note: permission('insert', { columns: '*', check: { account: OWN } }) })).toEqual([
    'all-columns-granted',
  ]);
});

test('rules that are none, and rules that nothing fulfils', () => {
  expect(codes({ account: select({}) })).toEqual([]);
  expect(codes({ account: select({ _and: [] }) })).toEqual(['rule-is-always-true']);
  expect(codes({ account: select({ _not: { _or: [] } }) })).toEqual(['rule-is-always-true']);
  expect(codes({ account: select({ _or: [{ id: 1 }, {}] }) })).toEqual(['rule-is-always-true']);
  expect(
    codes({ account: select({ _or: [{ name: { _is_null: true } }, { name: { _is_null: false } }] }) }),
  ).toEqual(['rule-is-always-true']);
  expect(codes({ account: select({ id: { _in: [] } }) })).toEqual(['rule-is-never-true']);
  expect(codes({ account: select({ id: { _gt: 0 } }) })).toEqual([]);
});

test('columns and rows that a view shows past its table', () => {
  const read = select(OWN, ['id', 'owner', 'name']);
  expect(codes({ account: read, card: select(OWN, ['id', 'name']) })).toEqual([]);
  expect(findings({ account: read, card: select(OWN, ['remark']) }).map(({ message }) => message)).toEqual([
    'Role "user" may not read column "remark" of table account, but reads it as column "remark" of the view card.',
  ]);
  expect(codes({ account: read, card: select({}, ['name']) })).toEqual(['view-without-row-rule']);
  // Somebody who may not read the table was given the view instead.
  expect(codes({ card: select({}, ['remark']) })).toEqual([]);
});

test('columns that are hidden and read by another way: what a view computes, related rows, functions', () => {
  const read = (columns: readonly string[], more: object = {}) =>
    permission('select', { columns, filter: OWN, ...more });
  const some = ['id', 'owner', 'name'];
  const told = (tables: Readonly<Record<string, object>>) =>
    findings(tables)
      .filter(({ code }) => code.startsWith('hidden-column'))
      .map(({ code, message, path }) => [code, path.slice(2).join('.'), message]);
  const summary = select(OWN, ['accounts']);
  expect(told({ account: read(some), summary })).toEqual([
    [
      'hidden-column-computed-by-view',
      'tables.4.select_permissions.0.permission.columns',
      'Role "user" may not read "remark" of table account, but reads "accounts" of the view summary, whose query uses it.',
    ],
  ]);
  expect(told({ account: read([...some, 'remark']), summary })).toEqual([]);
  // What the view shows unchanged, it computes nothing from.
  expect(told({ account: read(some), summary: select(OWN, ['owner']) })).toEqual([]);
  const note = select({ account: OWN }, ['id', 'account_id']);
  expect(told({ account: read(['name']), note })).toEqual([
    [
      'hidden-column-shown-by-relationship',
      'tables.1.select_permissions.0.permission.columns',
      'Role "user" may not read column "id" of table account, but reads its value as column "account_id" of the relationship "notes".',
    ],
  ]);
  expect(told({ account: read(['name']), note: select({ account: OWN }, ['id']) })).toEqual([]);
  expect(told({ account: read(['name']) })).toEqual([]);
  expect(told({ account: read(some, { computed_fields: ['initials'] }) })).toEqual([
    [
      'hidden-column-given-to-function',
      'tables.1.select_permissions.0.permission.computed_fields',
      'Role "user" reads the computed field "initials" of table account, whose function public.initials receives the whole row, including columns that the role may not read: "tenant_id", "remark", "public".',
    ],
  ]);
  const every = ['id', 'tenant_id', 'owner', 'name', 'remark', 'public'];
  expect(told({ account: read(every, { computed_fields: ['initials'] }) })).toEqual([]);
});

test('writes that reach, and so show, rows which reading does not', () => {
  const write = (filter: object) => ({ ...select(OWN), ...permission('delete', { filter }) });
  expect(codes({ account: write({}) })).toEqual(['write-wider-than-read']);
  expect(codes({ account: write({ id: { _gt: 5 } }) })).toEqual(['write-wider-than-read']);
  expect(codes({ account: write(OWN) })).toEqual([]);
});

test('variables that no session has, when it is known which there are', () => {
  const rule = select({ owner: 'X-Engine-Usr-Id' });
  expect(codes({ account: rule })).toEqual([]);
  const [finding] = findings({ account: rule }, { sessionVariables: ['X-Engine-User-Id'] });
  expect(finding).toMatchObject({
    code: 'variable-not-supplied',
    details: ['Did you mean x-engine-user-id?', expect.anything()],
  });
  expect(codes({ account: select(OWN) }, { sessionVariables: ['x-engine-user-id'] })).toEqual([]);
});

test('rules that read whole tables: told once a column', () => {
  const writer = { writer: 'X-Engine-User-Id' };
  const [finding, ...more] = findings({
    note: { ...select(writer), ...permission('delete', { filter: writer }) },
  });
  expect(more).toEqual([]);
  expect(finding!.message).toBe(
    'A row rule (role "user", select) searches note by column "writer", and no index begins with that column. So do 1 more.',
  );
  // The way from accounts to their notes; back it is the primary key.
  expect(codes({ account: select({ notes: { body: 'x' } }) })).toEqual(['rule-column-without-index']);
  expect(codes({ note: select({ account: OWN }) })).toEqual([]);
  // One index is enough.
  expect(codes({ account: select({ ...OWN, name: 'X-Engine-Name' }) })).toEqual([]);
});

test('every rule is in the catalogue, and nothing there is missing here', () => {
  const catalogued = Object.keys(messages).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  expect(catalogued).toEqual(expect.arrayContaining([...LINT_CODES]));
});

// The command.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-lint-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function runLint(tables: Readonly<Record<string, object>>, configuration: string, ...more: string[]) {
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata(tables), null, 2));
  writeFileSync(join(folder, 'lint.yaml'), configuration);
  const args = [
    '--metadata',
    join(folder, 'metadata.json'),
    '--source',
    `default=${database.url}`,
    '--config',
    join(folder, 'lint.yaml'),
  ];
  return engine('lint', ...args, ...more);
}

test('a finding is told with its place; what is meant is allowed with a reason', async () => {
  const account = select({ _or: [OWN, { public: true }] });
  const found = await runLint({ account }, '');
  expect(found.status).toBe(1);
  expect(found.stdout).toContain(
    'warning or-branch-without-session  sources.default.tables.account.select_permissions.user.permission.filter._or[1]',
  );
  expect(found.stdout).toMatch(/metadata\.json:\d+:\d+\n/);
  const allowed = await runLint(
    { account },
    'allow:\n  - rule: or-branch-without-session\n    table: account\n    role: user\n    reason: Public accounts are public\n',
  );
  expect(allowed).toMatchObject({ status: 0, stdout: 'Nothing found in 1 permissions, 1 allowed.\n' });
});

test('an allowance that nothing needs is told, with its line', async () => {
  const unused = await runLint(
    { account: select(OWN) },
    'allow:\n  - rule: row-can-be-given-away\n    table: account\n    reason: none left\n',
  );
  expect(unused.status).toBe(1);
  expect(unused.stdout).toContain('lint-allowance-unused');
  expect(unused.stdout).toContain('lint.yaml:2:1');
});

test('a configuration that means nothing is refused', async () => {
  expect(await runLint({}, 'allow:\n  - rule: no-such-rule\n    reason: x\n')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('lint.yaml:2: there is no rule "no-such-rule"'),
  });
  expect(await runLint({}, 'allow:\n  - rule: all-columns-granted\n')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('allow.0.reason'),
  });
  expect(await runLint({}, 'alow: []\n')).toMatchObject({ status: 2 });
});

test('findings as SARIF', async () => {
  const { stdout } = await runLint(
    { account: select({ _or: [OWN, { public: true }] }) },
    '',
    '--format',
    'sarif',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    runs: [
      {
        results: [
          { ruleId: 'or-branch-without-session', level: 'warning', locations: [{ physicalLocation: {} }] },
        ],
      },
    ],
  });
});

test('aggregates that a role may only order by are reported once for a role', () => {
  const tables = (note: object) => ({
    account: select({ owner: 'X-Engine-User-Id' }, ['id']),
    note: permission('select', { columns: ['id'], filter: { writer: 'X-Engine-User-Id' }, ...note }),
  });
  const found = findings(tables({})).filter(({ code }) => code === 'aggregates-readable-by-order');
  expect(found.map(({ path, message }) => [path, message])).toEqual([
    [
      ['sources', 0, 'tables', 2, 'select_permissions', 0, 'permission'],
      'Role "user" may order by aggregates of related rows that it may not aggregate, of these tables: note.',
    ],
  ]);
  expect(codes(tables({ allow_aggregations: true }))).not.toContain('aggregates-readable-by-order');
  expect(codes({ note: tables({}).note })).not.toContain('aggregates-readable-by-order');
});
