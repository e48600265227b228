/** `engine role`: what it proposes for schemas that are hard, and that no owner sees or changes a row of another by what it writes. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compile } from '../../../compiler/index.ts';
import { openTrialDatabases } from '../../../compiler/offline/trial-databases.ts';
import { readMetadataFile } from '../../../compiler/phases/1-read/index.ts';
import { readCases } from '../../../compiler/review/permission-tests/cases.ts';
import { plannerOf } from '../../../compiler/review/permission-tests/subjects.ts';
import type { Trial } from '../../../compiler/review/permission-tests/trial.ts';
import { readCatalogFile } from '../../../runtime/catalog/index.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import { engine } from '../../harness/command-line.ts';
import { SERVING } from '../../harness/compile.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const folder = eachInFolder();
let cwd: string;
beforeEach(() => {
  cwd = process.cwd();
  process.chdir(folder.at());
});
afterEach(() => process.chdir(cwd));

const PROJECT = ['--metadata', 'metadata', '--catalog', 'catalog.json'];
const USER = 'X-Engine-User-Id';

async function begin(sql: string): Promise<void> {
  const { url } = await createTestDatabase(sql);
  expect(await engine('init', '--database-url', url)).toMatchObject({ status: 0 });
}

const add = (...more: string[]) => engine('role', 'add', 'user', ...PROJECT, ...more);

const USERS = 'create table users (id int primary key, name text); ';

/** SQL beside the users, further options, what the proposal says and what it does not. */
const PROPOSALS: readonly {
  readonly what: string;
  readonly sql: string;
  readonly options?: readonly string[];
  readonly says: readonly string[];
  readonly not?: readonly string[];
}[] = [
  {
    what: 'a direct owner is preset',
    sql: 'create table note (id serial primary key, user_id int not null references users, body text)',
    says: [
      'public.note  where user_id → public.users.id',
      'insert  body; set by the server: user_id = X-Engine-User-Id',
      'update  body\n',
      'delete',
    ],
  },
  {
    what: 'a nullable owner: rows without one belong to nobody',
    sql: 'create table note (id serial primary key, user_id int references users, body text)',
    says: ['rows without user_id in public.note belong to nobody'],
  },
  {
    what: 'a way through another table is checked, and not changed',
    sql: 'create table orders (id int primary key, user_id int references users, note text); create table item (id serial primary key, order_id int not null references orders, quantity int)',
    says: [
      'public.item  where order_id → public.orders.user_id → public.users.id',
      'insert  order_id, quantity\n',
      'update  quantity\n',
    ],
  },
  {
    what: 'two ways of one length are choices',
    sql: 'create table message (id serial primary key, sender_id int references users, recipient_id int references users, body text)',
    says: [
      '--path public.message=message_sender_id_fkey',
      '--path public.message=message_recipient_id_fkey',
      'public.message: several ways',
    ],
    not: ['public.message  where'],
  },
  {
    what: 'one of them is chosen, the other may only be oneself',
    sql: 'create table message (id serial primary key, sender_id int references users, recipient_id int references users, body text)',
    options: ['--path', 'message=message_sender_id_fkey'],
    says: ['public.message  where sender_id →', 'set by the server: sender_id'],
    not: ['several ways'],
  },
  {
    what: 'what leads through a table with two ways waits for the choice',
    sql: 'create table message (id serial primary key, sender_id int references users, recipient_id int references users); create table part (id serial primary key, message_id int references message)',
    says: ['public.part: its way to the owner leads through public.message'],
  },
  {
    what: 'a choice opens what leads through it',
    sql: 'create table message (id serial primary key, sender_id int references users, recipient_id int references users); create table part (id serial primary key, message_id int references message)',
    options: ['--path', 'public.message=message_recipient_id_fkey'],
    says: ['public.part  where message_id → public.message.recipient_id'],
  },
  {
    what: 'two tables of one length',
    sql: 'create table a (id int primary key, user_id int references users); create table b (id int primary key, user_id int references users); create table pair (a int references a, b int references b)',
    says: ['--path public.pair=pair_a_fkey', '--path public.pair=pair_b_fkey'],
  },
  {
    what: 'a chosen longer way, by several constraints',
    sql: 'create table a (id int primary key, user_id int references users); create table b (id int primary key, a int references a, user_id int references users); create table c (b int references b, t text)',
    options: ['--path', 'c=c_b_fkey.b_a_fkey'],
    says: ['public.c  where b → public.b.a → public.a.user_id'],
  },
  {
    what: 'a self reference is no way, and may only be to own rows',
    sql: 'create table note (id serial primary key, user_id int references users, parent_id int references note, body text)',
    says: ['public.note  where user_id', 'insert  parent_id, body;'],
    not: ['several ways'],
  },
  {
    what: 'a table without a way stays closed',
    sql: 'create table country (code text primary key); create table note (user_id int references users, country text references country)',
    says: [
      'public.country: no foreign keys lead to the owner',
      'country may refer to any row of public.country',
    ],
  },
  {
    what: 'a view stays closed',
    sql: 'create table note (id int primary key, user_id int references users); create view notes as select * from note',
    says: ['public.notes: it is a view'],
  },
  {
    what: 'secrets are not shown',
    sql: 'create table key (id serial primary key, user_id int references users, api_key text not null, label text)',
    says: ['not shown, by their names: api_key', 'select  id, user_id, label', 'insert  api_key, label;'],
  },
  {
    what: 'a delete that reaches rows of others is left out',
    sql: 'create table note (id serial primary key, user_id int references users); create table reply (id serial primary key, user_id int references users, note_id int references note on delete cascade)',
    says: ['no delete: it would delete or change rows of public.reply'],
  },
  {
    what: 'one that reaches own rows is not',
    sql: 'create table note (id serial primary key, user_id int references users); create table part (id serial primary key, note_id int not null references note on delete cascade)',
    says: ['public.note  where'],
    not: ['no delete'],
  },
  {
    what: 'the users themselves are only read',
    sql: '',
    says: ['public.users  where id = X-Engine-User-Id', 'only read: a session is tied to its row'],
  },
  {
    what: 'a key of several columns',
    sql: 'create table loan (tool text, user_id int references users, primary key (tool, user_id)); create table fine (id serial primary key, tool text, user_id int, foreign key (tool, user_id) references loan, cents int)',
    says: ['public.fine  where tool, user_id → public.loan.user_id → public.users.id', 'update  cents\n'],
  },
  {
    what: 'a required reference to a table that is not decided',
    sql: 'create table message (id int primary key, sender_id int references users, recipient_id int references users); create table mark (user_id int references users, message_id int not null references message)',
    says: ['no insert: "message_id" is required', 'message_id is not written'],
  },
  {
    what: 'a key that has no index is allowed until it has one',
    sql: 'create table note (id serial primary key, user_id int references users)',
    says: ['create index on "public"."note" ("user_id")'],
  },
  {
    what: 'a tenant beside the owner: both where both lead',
    sql: 'create table orgs (id int primary key); alter table users add org_id int references orgs; create table note (id serial primary key, user_id int references users, org_id int references orgs, body text); create table label (id int primary key, org_id int references orgs, name text)',
    options: ['--tenant', 'orgs.id=X-Engine-Org-Id'],
    says: [
      'public.note  where user_id → public.users.id = X-Engine-User-Id, and org_id → public.orgs.id = X-Engine-Org-Id',
      'only read: its rows belong to the tenant',
    ],
  },
];

describe('role add proposes', () => {
  test.each(PROPOSALS)('$what', async ({ sql, options = [], says, not = [] }) => {
    await begin(USERS + sql);
    const before = readMetadataFile('metadata').value;
    const proposed = await add('--owner', `users.id=${USER}`, ...options);
    expect(proposed).toMatchObject({ status: 0, stderr: '' });
    for (const text of says) expect(proposed.stdout).toContain(text);
    for (const text of not) expect(proposed.stdout).not.toContain(text);
    expect(proposed.stdout).toContain('Nothing was written.');
    expect(readMetadataFile('metadata').value).toEqual(before);
    // And it can be written: the compiler, the lint and every test agree.
    expect(await add('--owner', `users.id=${USER}`, ...options, '--write')).toMatchObject({ status: 0 });
    expect(await engine('lint', ...PROJECT)).toMatchObject({ status: 0 });
    const tested = await engine('test', ...PROJECT, '--cases', 'tests');
    expect(tested).toMatchObject({ status: 0, stdout: expect.not.stringContaining('unproven') });
  });
});

const WRONG: readonly (readonly [what: string, options: readonly string[], says: string])[] = [
  ['neither owner nor tenant', [], 'Give --owner'],
  ['no such table', ['--owner', 'user.id=X-Engine-User-Id'], 'Did you mean "public.users"?'],
  ['no such column', ['--owner', 'users.ids=X-Engine-User-Id'], 'Did you mean "id"?'],
  ['a column that is no key', ['--owner', 'users.name=X-Engine-User-Id'], 'is no key by itself'],
  ['no session variable', ['--owner', 'users.id=user-id'], 'is no session variable'],
  ['no column at all', ['--owner', 'users=X-Engine-User-Id'], 'is written TABLE.COLUMN'],
  ['no variable at all', ['--owner', 'users.id'], 'is written TABLE.COLUMN'],
  [
    'a path of no table',
    ['--owner', 'users.id=X-Engine-User-Id', '--path', 'x=y'],
    'no table that is served',
  ],
  [
    'a path of no constraint',
    ['--owner', 'users.id=X-Engine-User-Id', '--path', 'note=y'],
    'note_user_id_fkey',
  ],
  [
    'owner and tenant the same',
    ['--owner', 'users.id=X-Engine-User-Id', '--tenant', 'users.id=X-Engine-Org-Id'],
    'different tables',
  ],
];

test.each(WRONG)('wrong use is a sentence: %s', async (_, options, says) => {
  await begin(`${USERS}create table note (user_id int references users)`);
  const { status, stderr } = await add(...options);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(says) });
});

test('permissions that the role has, comments and order stay; a second run adds nothing', async () => {
  await begin(
    `${USERS}create table note (id int primary key, user_id int references users); create table plan (id int primary key, user_id int references users)`,
  );
  const file = 'metadata/databases/default/tables/public_note.yaml';
  const own = `# mine\n${readFileSync(file, 'utf8')}select_permissions:\n  # all of them\n  - role: user\n    permission: { columns: [id], filter: {} }\n`;
  writeFileSync(file, own);
  const owner = ['--owner', `users.id=${USER}`];
  const first = await add(...owner, '--write');
  expect(first.stdout).toContain(
    'The role has permissions already, which stay as they are (1):\n  public.note',
  );
  expect(readFileSync(file, 'utf8')).toBe(own);
  const plan = readFileSync('metadata/databases/default/tables/public_plan.yaml', 'utf8');
  expect(plan).toContain('select_permissions');
  const second = await add(...owner, '--write');
  expect(second.stdout).toContain('There is nothing to write.');
  expect(readFileSync('metadata/databases/default/tables/public_plan.yaml', 'utf8')).toBe(plan);
  expect(existsSync('tests/user_2.yaml')).toBe(false);
});

test('role show prints the ledger, and names the roles that there are', async () => {
  await begin(`${USERS}create table note (id int primary key, user_id int references users)`);
  await add('--owner', `users.id=${USER}`, '--write');
  await engine('compile', ...PROJECT, '--out', 'generated');
  const shown = await engine('role', 'show', 'user', ...PROJECT);
  expect(shown).toEqual({ status: 0, stderr: '', stdout: readFileSync('generated/roles/user.txt', 'utf8') });
  const misspelt = await engine('role', 'show', 'usr', ...PROJECT);
  expect(misspelt).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean "user"?') });
});

describe('no owner sees or changes what is of another, by any root field', () => {
  test.each([
    ['library', 'shop.Member.id', ['--path', 'shop.friend=friend_a_fkey']],
    ['hostile', 'users.id', []],
  ] as const)('%s', async (name, owner, options) => {
    await begin(readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8'));
    expect(await add('--owner', `${owner}=${USER}`, ...options, '--write')).toMatchObject({ status: 0 });
    const { metadata, catalogs } = await readProject();
    const planner = plannerOf(compile({ metadata, catalogs }).state.plan, SERVING);
    const { databases, close } = await openTrialDatabases(catalogs, new Map());
    const answering = new Set<string>();
    try {
      for (const each of readCases(join('tests', 'user.yaml'))) {
        if (!('given' in each)) continue;
        await databases.get('default')!.trial(async (trial) => {
          await trial.run(each.given!);
          const ask = asking(trial, planner, each.session as Readonly<Record<string, string>>);
          for (const query of await everything(ask)) {
            const answer = await trial.undone(() => ask(query));
            // What is of the second owner is made of this number, what is of the first of that.
            expect(answer, query).not.toContain('9002');
            if (answer.includes('9001')) answering.add(/\w+(?=[ (])/.exec(query.replace('mutation', ''))![0]);
          }
        });
      }
    } finally {
      await close();
    }
    expect(answering.size).toBeGreaterThan(6);
  });
});

async function readProject() {
  const { value: metadata } = readMetadataFile('metadata');
  return { metadata, catalogs: (await readCatalogFile('catalog.json')).sources };
}

type Ask = (query: string) => Promise<string>;

/** Requests of the first owner. A refusal is an answer: its text must hold nothing of the other either. */
function asking(
  trial: Trial,
  planner: ReturnType<typeof plannerOf>,
  session: Readonly<Record<string, string>>,
): Ask {
  const given = Object.entries(session).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const variables = { 'x-engine-role': 'user', ...Object.fromEntries(given) };
  const sources = new Map([['default', trial.connection]]);
  const asked = { vocabulary: CANONICAL, role: 'user', backendOnly: false, variables };
  return (query) =>
    executeData({ query }, asked, { planner, sources }).catch((error: Error) => error.message);
}

interface Type {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: Type | null;
}
interface Field {
  readonly name: string;
  readonly type: Type;
  readonly args: readonly { readonly name: string; readonly type: Type }[];
}
interface ObjectType {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly Field[] | null;
}

/** A request for each root field that reads, updates or deletes, with all columns and those of related rows. */
async function everything(ask: Ask): Promise<string[]> {
  const type = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
  const text = await ask(
    `{ __schema { types { kind name fields { name type { ${type} } args { name type { ${type} } } } } } }`,
  );
  const { types } = (JSON.parse(text) as { __schema: { types: readonly ObjectType[] } }).__schema;
  const byName = new Map(types.map((each) => [each.name, each]));
  const inside = (field: Field, depth: number): string => {
    const target = byName.get(named(field.type))!;
    if (!target.fields) return '';
    const parts = target.fields.flatMap((each) => {
      if (each.args.some(({ type: { kind } }) => kind === 'NON_NULL')) return [];
      const isScalar = !byName.get(named(each.type))?.fields;
      return isScalar || depth > 0 ? [`${each.name}${inside(each, depth - 1)}`] : [];
    });
    return ` { ${['__typename', ...parts].join(' ')} }`;
  };
  const argument = ({ name, type: given }: Field['args'][number]): string[] => {
    if (given.kind !== 'NON_NULL') return [];
    const value = name === 'where' ? '{}' : VALUES[named(given)];
    return [`${name}: ${value}`];
  };
  return ['query_root', 'mutation_root'].flatMap((root) =>
    (byName.get(root)?.fields ?? [])
      .filter(({ name }) => root === 'query_root' || /^delete/.test(name))
      .flatMap((field) => {
        const args = field.args.flatMap(argument);
        if (args.some((each) => each.endsWith('undefined'))) return [];
        const given = args.length > 0 ? `(${args.join(', ')})` : '';
        return [`${root === 'query_root' ? '' : 'mutation '}{ ${field.name}${given}${inside(field, 2)} }`];
      }),
  );
}

function named(type: Type): string {
  return type.ofType ? named(type.ofType) : type.name!;
}

/** Keys of the second owner's rows. */
const VALUES: Readonly<Record<string, string>> = {
  Int: '9002',
  bigint: '9002',
  String: '"text9002"',
  uuid: '"00000000-0000-4000-8000-000000009002"',
  date: '"2024-01-02"',
};

test('in a folder with nothing but what init wrote, commands need no options', async () => {
  expect(await engine('init')).toMatchObject({ status: 0 });
  const role = ['role', 'add', 'user', '--owner', `public.users.id=${USER}`, '--write'];
  expect(await engine(...role)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('4 cases with rows of two owners passed'),
  });
  expect(await engine('lint')).toMatchObject({ status: 0 });
  expect(await engine('test', '--cases', 'tests')).toMatchObject({ status: 0 });
  const compiled = await engine('compile', '--out', 'generated');
  expect(compiled).toMatchObject({ status: 0, stdout: expect.stringContaining('statements proved') });
  expect(readFileSync('generated/roles/user.txt', 'utf8')).toContain(
    'select where user_id = X-Engine-User-Id',
  );
});
