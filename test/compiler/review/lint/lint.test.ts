/** Every case of `test/cases/lint`, and the command. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import {
  DEFAULT_PUBLIC_ROLES,
  type LintConfiguration,
} from '../../../../compiler/review/lint/configuration.ts';
import { groupFindings } from '../../../../compiler/review/lint/finding.ts';
import { LINT_CODES, lint } from '../../../../compiler/review/lint/index.ts';
import { placeTables } from '../../../../compiler/review/lint/place.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { messages } from '../../../../runtime/core/diagnostics/catalogue.ts';
import { formatPath } from '../../../../runtime/core/diagnostics/path.ts';
import { engine } from '../../../harness/command-line.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const CASES = fileURLToPath(new URL('../../../cases/lint/', import.meta.url));
const read = (file: string) => readFileSync(join(CASES, file), 'utf8');

/** Permissions of one role on tables of `project/`, and what the lint finds in them. */
interface LintCase extends Permissions {
  readonly what: string;
  readonly configuration?: Partial<LintConfiguration>;
  /** In order; a text is the code alone. `says` is part of the message or of its details. */
  readonly finds?: readonly (
    | string
    | { readonly code: string; readonly at?: string; readonly says?: string }
  )[];
}

/** By table, then by operation; a `select` without columns has `id`. `role` is `user` unless it is named. */
type Permissions = { readonly role?: string } & {
  readonly [Table in 'account' | 'note' | 'card' | 'summary' | 'whole' | 'made']?: Readonly<
    Record<string, object>
  >;
};

let database: TestDatabase;
let catalogs: Record<string, SourceCatalog>;

beforeAll(async () => {
  database = await createTestDatabase(read('project/schema.sql'));
  catalogs = await catalogsOf(readMetadata(metadata({})).value, database.url);
});

function metadata({ role = 'user', ...permissions }: Permissions): object {
  const project = parse(read('project/metadata.yaml'));
  for (const entry of project.sources[0].tables)
    for (const [operation, permission] of Object.entries(
      permissions[entry.table as keyof typeof permissions] ?? {},
    )) {
      const columns = operation === 'select' && { columns: ['id'] };
      entry[`${operation}_permissions`] = [{ role, permission: { ...columns, ...permission } }];
    }
  return project;
}

const files = readdirSync(CASES).filter((name) => name.endsWith('.yaml'));

describe.each(files)('%s', (file) => {
  test.each(parse(read(file)) as LintCase[])(
    '$what',
    ({ what, configuration, finds = [], ...permissions }) => {
      const { value } = readMetadata(metadata(permissions));
      const { state, diagnostics } = compile({ metadata: value, catalogs });
      expect(diagnostics).toEqual([]);
      const all = { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [], ...configuration };
      const found = lint(placeTables(value, state.model, state.plan, catalogs), all);
      const seen = found.map(({ diagnostic: { code, path, message, details = [] } }, index) => {
        const expected = finds[index];
        if (typeof expected !== 'object') return code;
        const says = [message, ...details].join('\n');
        return {
          code,
          ...(expected.at && { at: formatPath(path.slice(2)) }),
          ...(expected.says && { says: says.includes(expected.says) ? expected.says : says }),
        };
      });
      expect(seen).toEqual(finds);
    },
  );
});

test.each([
  ['usr', undefined, 'its name is near that of role "user"'],
  ['usr', [{ role_name: 'usr', role_set: ['user'] }], undefined],
  ['accountant', undefined, undefined],
])('a role that is used once: %s', (role, inherited_roles, says) => {
  const project = metadata({
    account: { select: { filter: { owner: 'X-Engine-User-Id' } } },
    note: { select: { filter: { writer: 'X-Engine-User-Id' } } },
  }) as { sources: [{ tables: { select_permissions?: object[] }[] }]; inherited_roles?: object[] };
  const filter = { owner: 'X-Engine-User-Id' };
  const [{ tables }] = project.sources;
  tables
    .find((table) => table.select_permissions)!
    .select_permissions!.push({ role, permission: { columns: ['id'], filter } });
  const { value } = readMetadata({ ...project, ...(inherited_roles && { inherited_roles }) });
  const { state } = compile({ metadata: value, catalogs });
  const found = lint(placeTables(value, state.model, state.plan, catalogs), {
    publicRoles: DEFAULT_PUBLIC_ROLES,
    allow: [],
  }).filter(({ diagnostic }) => diagnostic.code === 'role-used-once');
  expect(found.map(({ diagnostic }) => diagnostic.message)).toEqual(
    says === undefined ? [] : [expect.stringContaining(says)],
  );
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

/** Rows of one's own, and those that are public. */
const LEAK: Permissions = {
  account: { select: { filter: { _or: [{ owner: 'X-Engine-User-Id' }, { public: true }] } } },
};

function runLint(permissions: Permissions, configuration: string, ...more: string[]) {
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(metadata(permissions), null, 2));
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
  const found = await runLint(LEAK, '');
  expect(found.status).toBe(1);
  expect(found.stdout).toContain(
    'warning or-branch-without-session  sources.default.tables.account.select_permissions.user.permission.filter._or[1]',
  );
  expect(found.stdout).toMatch(/metadata\.json:\d+:\d+\n/);
  const allowed = await runLint(
    LEAK,
    'allow:\n  - rule: or-branch-without-session\n    table: account\n    role: user\n    reason: Public accounts are public\n',
  );
  expect(allowed).toMatchObject({ status: 0, stdout: 'Nothing found in 1 permissions, 1 allowed.\n' });
});

test('one cause is one finding, which names the other permissions', async () => {
  const own = { writer: 'X-Engine-User-Id' };
  const loose: Permissions = {
    account: { select: { filter: { owner: 'X-Engine-User-Id' } } },
    note: {
      insert: { columns: ['account_id', 'body'], check: own, set: own },
      update: { columns: ['account_id'], filter: own, check: own },
    },
  };
  const allow = (operation: string) =>
    `allow:\n  - rule: ${operation}\n    table: note\n    column: account_id\n    reason: Accounts are open\n`;
  const found = await runLint(loose, '');
  expect(found.stdout.match(/^warning reference-can-leave/gm)).toHaveLength(1);
  expect(found.stdout).toContain('The same for update of note.');
  // The column is that of the finding, wherever its message has the name.
  const allowed = await runLint(loose, allow('reference-can-leave'));
  expect(allowed.stdout).not.toContain('reference-can-leave');
  expect(allowed.stdout).toContain('2 allowed');
  const other = await runLint(loose, allow('reference-can-leave').replace('account_id', 'account'));
  expect(other.stdout).toContain('warning reference-can-leave');
});

/** Permissions of several roles on tables; each group is what one change would mend. */
const CAUSES: readonly {
  readonly code: string;
  readonly inherited?: Readonly<Record<string, readonly string[]>>;
  /** Table, operation, role, permission. */
  readonly permissions: readonly (readonly [string, string, string, object])[];
  readonly configuration?: Partial<LintConfiguration>;
  /** What follows the first place of each finding. */
  readonly others: readonly (string | undefined)[];
}[] = (() => {
  const mine = { owner: 'X-Engine-User-Id' };
  const written = { writer: 'X-Engine-User-Id' };
  const loose = { _exists: { _table: 'tenant', _where: { id: 1 } } };
  return [
    {
      code: 'inherited-role-wider',
      inherited: { lead: ['user'], chief: ['lead'] },
      permissions: [
        ['account', 'select', 'user', { columns: ['id'], filter: mine }],
        ['note', 'select', 'user', { columns: ['id'], filter: written }],
        ['account', 'select', 'lead', { columns: ['id', 'name'], filter: mine }],
        ['account', 'delete', 'lead', { filter: mine }],
        ['note', 'delete', 'user', { filter: written, check: { body: 'x' } }],
        ['note', 'delete', 'lead', { filter: written }],
        ['note', 'select', 'lead', { columns: ['id'], filter: {} }],
        ['note', 'select', 'chief', { columns: ['id', 'body'], filter: {} }],
      ],
      others: ['delete of account; select of note; delete of note', undefined],
    },
    {
      code: 'rule-without-session',
      permissions: [
        ['account', 'select', 'user', { columns: ['id'], filter: mine }],
        ['note', 'select', 'user', { columns: ['id'], filter: written }],
        ['account', 'select', 'clerk', { columns: ['id'], filter: {} }],
        ['note', 'select', 'clerk', { columns: ['id'], filter: {} }],
        ['note', 'delete', 'clerk', { filter: { body: 'x' } }],
        ['account', 'delete', 'clerk', { filter: mine }],
      ],
      others: ['select of note', undefined],
    },
    {
      code: 'exists-not-correlated',
      permissions: [
        ['account', 'select', 'user', { columns: ['id'], filter: { ...mine, ...loose } }],
        ['account', 'delete', 'user', { filter: { ...mine, ...loose } }],
        ['note', 'select', 'clerk', { columns: ['id'], filter: { ...written, ...loose } }],
      ],
      others: ['user, delete of account; clerk, select of note'],
    },
    {
      code: 'variable-not-supplied',
      configuration: { sessionVariables: ['X-Engine-User-Id'] },
      permissions: [
        ['account', 'select', 'user', { columns: ['id'], filter: { owner: 'X-Engine-Usr-Id' } }],
        ['note', 'select', 'user', { columns: ['id'], filter: { writer: 'X-Engine-Usr-Id' } }],
      ],
      others: ['select of note'],
    },
    {
      code: 'or-branch-without-session',
      permissions: ['user', 'clerk'].map(
        (role) =>
          [
            'account',
            'select',
            role,
            { columns: ['id'], filter: { _or: [mine, { public: true }] } },
          ] as const,
      ),
      others: ['clerk, select of account'],
    },
  ];
})();

test.each(CAUSES)(
  'what one change would mend is one finding: $code',
  ({ code, inherited = {}, permissions, configuration, others }) => {
    const project = metadata({}) as { sources: [{ tables: Record<string, unknown>[] }] };
    for (const [table, operation, role, permission] of permissions) {
      const entry = project.sources[0].tables.find((each) => each.table === table)!;
      const key = `${operation}_permissions`;
      entry[key] = [...((entry[key] as object[] | undefined) ?? []), { role, permission }];
    }
    const inherited_roles = Object.entries(inherited).map(([role_name, role_set]) => ({
      role_name,
      role_set,
    }));
    const { value } = readMetadata({ ...project, inherited_roles });
    const { state, diagnostics } = compile({ metadata: value, catalogs });
    expect(diagnostics).toEqual([]);
    const found = lint(placeTables(value, state.model, state.plan, catalogs), {
      publicRoles: DEFAULT_PUBLIC_ROLES,
      allow: [],
      ...configuration,
    });
    const grouped = groupFindings(found).filter((each) => each.code === code);
    const said = grouped.map(({ details = [] }) => /^The same for (.*)\.$/.exec(details.at(-1) ?? '')?.[1]);
    expect(said).toEqual(others);
  },
);

/** A permission of the roles that are inherited, what the own one has beside it, and what is wider. */
const ASPECTS: readonly (readonly [
  what: string,
  operation: string,
  theirs: readonly object[],
  own: object,
])[] = [
  ['aggregates', 'select', [{}], { allow_aggregations: true }],
  ['its lists may have more rows', 'select', [{ limit: 5 }, { limit: 7 }], { limit: 8 }],
  ['its lists may have more rows', 'select', [{ limit: 5 }], {}],
  ['computed field "initials"', 'select', [{}], { computed_fields: ['initials'] }],
  ['root fields of queries', 'select', [{ query_root_fields: ['select'] }], {}],
  [
    'root fields of subscriptions',
    'select',
    [{ subscription_root_fields: [] }],
    { subscription_root_fields: ['select'] },
  ],
  [
    'column "name" in more rows than theirs',
    'select',
    [
      { columns: ['id', 'name'], filter: { owner: 'X-Engine-User-Id' } },
      { columns: ['id'], filter: { public: true } },
    ],
    {
      columns: ['id', 'name'],
      filter: { _or: [{ owner: 'X-Engine-User-Id' }, { public: true }] },
    },
  ],
  ['callers need not be trusted', 'insert', [{ backend_only: true }], {}],
  [
    'no webhook has to agree to the input',
    'insert',
    [{ validate_input: { type: 'http', definition: { url: 'http://hook' } } }],
    {},
  ],
  ['the preset of "owner"', 'insert', [{ set: { owner: 'X-Engine-User-Id' } }], { set: { owner: '1' } }],
];

test.each(ASPECTS)(
  'an inherited role has more than those it inherits from: %s',
  (what, operation, theirs, own) => {
    const base = operation === 'select' ? { columns: ['id'], filter: {} } : { columns: ['id'], check: {} };
    const wider = (permission: object) => {
      const project = metadata({}) as { sources: [{ tables: Record<string, unknown>[] }] };
      const entry = project.sources[0].tables.find(({ table }) => table === 'account')!;
      entry[`${operation}_permissions`] = [...theirs, permission].map((each, index) => ({
        role: index < theirs.length ? `role${index}` : 'lead',
        permission: { ...base, ...each },
      }));
      const inherited_roles = [{ role_name: 'lead', role_set: theirs.map((_, index) => `role${index}`) }];
      const { value } = readMetadata({ ...project, inherited_roles });
      const { state, diagnostics } = compile({ metadata: value, catalogs });
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const input = placeTables(value, state.model, state.plan, catalogs);
      return lint(input, { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [] })
        .filter(({ diagnostic }) => diagnostic.code === 'inherited-role-wider')
        .map(({ diagnostic }) => diagnostic.message);
    };
    expect(wider(own)).toEqual([expect.stringContaining(`inherits from: ${what}.`)]);
    // What one of them has is nothing more.
    for (const same of theirs) expect(wider(same)).toEqual([]);
  },
);

test('an allowance that nothing needs is told, with its line', async () => {
  const unused = await runLint(
    { account: { select: { filter: { owner: 'X-Engine-User-Id' } } } },
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
  const { stdout } = await runLint(LEAK, '', '--format', 'sarif');
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
