/**
 * Facts of access files: along these relationships statements do not ask the rule of the related table. A fact counts for the
 * rules and the join that it was proved for, so whatever of these is edited, statements are those of files without facts.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { editFindings } from '../../../../compiler/review/audit/diff-surroundings.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { factOf, implicationOf } from '../../../../runtime/core/condition/implied.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createPlanner } from '../../../../runtime/core/request/planner.ts';
import { NOBODY } from '../../../../runtime/core/session.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create domain place as int;
  create table team (id place primary key, lead int not null, backup int not null, name text not null);
  create table member (
    id int primary key, name text not null,
    team_id place not null references team, reserve_id place not null references team
  );
  insert into team values (1, 7, 8, 'red'), (2, 8, 7, 'blue');
  insert into member values (1, 'ann', 1, 2), (2, 'bob', 2, 1), (3, 'cid', 1, 1);
`;

const isMine = { lead: { _eq: 'X-Engine-User-Id' } };
const select = (role: string, filter: object) => ({ role, permission: { columns: '*', filter } });
const METADATA = metadataOf([
  {
    table: 'team',
    array_relationships: ['team_id', 'reserve_id'].map((column) => ({
      name: column === 'team_id' ? 'members' : 'reserves',
      using: { foreign_key_constraint_on: { table: 'member', column } },
    })),
    select_permissions: [select('lead', isMine), select('guest', isMine)],
  },
  {
    table: 'member',
    object_relationships: ['team', 'reserve'].map((name) => ({
      name,
      using: { foreign_key_constraint_on: `${name}_id` },
    })),
    select_permissions: [
      select('lead', { team: isMine }),
      select('guest', { team: isMine, name: { _neq: 'cid' } }),
    ],
  },
]);

type Files = ReadonlyMap<string, string>;
type Edit = readonly [file: string, before: string | RegExp, after: string];

const PLACE = 'sources/default/public';
const [TEAM, MEMBER] = [`${PLACE}/team.access.ts`, `${PLACE}/member.access.ts`];
const [TEAM_TABLE, MEMBER_TABLE] = [`${PLACE}/team.table.ts`, `${PLACE}/member.table.ts`];

let database: TestDatabase;
let served: InProcess;

beforeAll(async () => {
  database = await createTestDatabase(SQL);
  served = await serveInProcess(database.url, METADATA);
});

afterAll(async () => {
  await served?.end();
  await database?.drop();
});

const FACTS = /^ +implies: \{[^}]*\},\n/gm;

/** The files as they would be if nothing followed from anything. */
function withoutFacts(files: Files): Files {
  return new Map([...files].map(([path, text]) => [path, text.replace(FACTS, '')]));
}

function edited([path, before, after]: Edit): Files {
  const text = served.files.get(path)!;
  const changed = text.replaceAll(before, after);
  expect(changed).not.toBe(text);
  return new Map(served.files).set(path, changed);
}

async function statement(files: Files, query: string, role: string): Promise<string> {
  const options = { inferFunctionPermissions: true, stringifyNumbers: false, collapseNulls: false };
  const planner = createPlanner(linkProgram(await createLoader().load(files), options), options);
  const { plan } = planner.plan({ ...NOBODY, role }, { query });
  const [step] = plan.kind === 'query' ? plan.steps : [];
  if (step?.kind !== 'sql') throw new Error('the request is not a statement');
  return step.statement.text;
}

const MEMBERS = '{ team { members { id } } }';
const RESERVES = '{ team { reserves { id } } }';
const TEAM_OF_MEMBER = '{ member { team { id } } }';
const RESERVE_OF_MEMBER = '{ member { reserve { id } } }';

test.each([
  ['lead', MEMBERS, true],
  ['lead', TEAM_OF_MEMBER, true],
  ['lead', RESERVES, false],
  ['lead', RESERVE_OF_MEMBER, false],
  ['guest', MEMBERS, false],
  ['guest', TEAM_OF_MEMBER, true],
  ['guest', RESERVES, false],
])('of %s in %s: the rule is left out: %s', async (role, query, isLeftOut) => {
  const without = await statement(withoutFacts(served.files), query, role);
  expect((await statement(served.files, query, role)) !== without).toBe(isLeftOut);
});

/** [what is edited, role, query whose fact is about something else then, edits] */
const EDITS: readonly (readonly [string, string, string, Edit])[] = [
  ['the rule of the table', 'lead', MEMBERS, [TEAM, '{row}."lead"', '{row}."backup"']],
  [
    'the rule of the table, to let everything through',
    'lead',
    MEMBERS,
    [TEAM, /where: `[^`]*`/g, 'where: `true`'],
  ],
  [
    'the rule of the table, by a further alternative',
    'lead',
    MEMBERS,
    [TEAM, 'where: `', 'where: `{row}."id" = 2 or '],
  ],
  ['the session variable of the rule', 'lead', MEMBERS, [TEAM, 'x-engine-user-id', 'x-engine-boss-id']],
  ['the cast of the rule', 'lead', MEMBERS, [TEAM, 'user-id::integer}', 'user-id::bigint}']],
  ['the rule of the related table', 'lead', MEMBERS, [MEMBER, '"_r1"."lead"', '"_r1"."backup"']],
  [
    'the rule of the related table, to ask more',
    'lead',
    MEMBERS,
    [MEMBER, 'where: `', `where: \`{row}."name" <> 'cid' and `],
  ],
  [
    'the rule of the related table, by another way',
    'lead',
    MEMBERS,
    [MEMBER, '{row}."team_id"', '{row}."reserve_id"'],
  ],
  [
    'the rule of the related table that the row is proved by',
    'lead',
    TEAM_OF_MEMBER,
    [MEMBER, '"_r1"."lead"', '"_r1"."backup"'],
  ],
  ['the rule of the table that is related', 'lead', TEAM_OF_MEMBER, [TEAM, '{row}."lead"', '{row}."backup"']],
  ['the layout of a rule', 'lead', MEMBERS, [TEAM, '{row}."lead" = ', '{row}."lead"  =  ']],
  ['the columns of a relationship', 'lead', MEMBERS, [TEAM_TABLE, '"team_id"', '"reserve_id"']],
  [
    'the columns of a single row',
    'lead',
    TEAM_OF_MEMBER,
    [MEMBER_TABLE, 'columns: { team_id: "id" }', 'columns: { reserve_id: "id" }'],
  ],
  ['that a row is single', 'lead', TEAM_OF_MEMBER, [MEMBER_TABLE, / unique: true,?/g, '']],
  ['the kind of the table', 'lead', MEMBERS, [TEAM_TABLE, 'kind: "table"', 'kind: "view"']],
  [
    'the type of a joined column',
    'lead',
    MEMBERS,
    [MEMBER_TABLE, /(team_id: \{ type: )"[^"]+"/g, '$1"int8"'],
  ],
  [
    'the collation of a joined column',
    'lead',
    MEMBERS,
    [MEMBER_TABLE, /(team_id: \{ type: "[^"]+")/g, '$1, nondeterministic: true'],
  ],
  [
    'the equality of a domain',
    'lead',
    MEMBERS,
    [`sources/default/source.ts`, /(kind: "domain")/g, '$1, ownEquality: true'],
  ],
  [
    'the type below a domain',
    'lead',
    MEMBERS,
    [`sources/default/source.ts`, /base: "int4"/g, 'base: "int8"'],
  ],
  ['the hash', 'lead', MEMBERS, [TEAM, /members: "\w/g, 'members: "_']],
  ['the fact, away', 'lead', MEMBERS, [TEAM, FACTS, '']],
  [
    'the fact, to be about another relationship',
    'lead',
    RESERVES,
    [TEAM, /(members: )("\w+")/g, '$1$2, reserves: $2'],
  ],
];

test.each(EDITS)('a fact is not believed after an edit of %s', async (_, role, query, edit) => {
  const files = edited(edit);
  const without = await statement(withoutFacts(files), query, role);
  expect(await statement(files, query, role)).toBe(without);
});

test('a fact of another role is not believed', async () => {
  const text = served.files.get(TEAM)!;
  const [fact] = text.match(FACTS)!;
  // Guest comes first, and has no fact.
  const files = new Map(served.files).set(
    TEAM,
    text.replace(/^ +where: .*\n/m, (where) => where + fact),
  );
  expect(files.get(TEAM)!.match(FACTS)).toEqual([fact, fact]);
  const without = await statement(withoutFacts(files), MEMBERS, 'guest');
  expect(await statement(files, MEMBERS, 'guest')).toBe(without);
});

test('a fact that nobody proved is believed, and named by reviews', async () => {
  const tables = new Map(served.program.tables.map((table) => [table.shape.name, table]));
  const ruled = (name: string) => {
    const table = tables.get(name)!;
    return { shape: table.shape, where: served.program.access(table).select!.lead!.where };
  };
  const { shape } = tables.get('team')!.relationships.get('reserves')!;
  const forged = factOf(implicationOf(ruled('team'), shape, ruled('member')));
  const files = edited([TEAM, /(implies: \{ )/g, `$1reserves: "${forged}", `]);
  const without = await statement(withoutFacts(files), RESERVES, 'lead');
  expect(await statement(files, RESERVES, 'lead')).not.toBe(without);
  const reviewed = (texts: Files) => readTexts({ label: 'generated', folder: 'generated', files: texts });
  const [before, after] = [reviewed(served.files), reviewed(files)];
  expect([before.unproved, after.unproved]).toEqual([[], ['lead: public.team, reserves']]);
  expect(editFindings(before, after).map(({ text }) => text)).toContain(
    'lead: public.team, reserves: by the access file the rule of the related table is not asked, but it does not follow',
  );
});

test('an edited rule shows its rows and no others', async () => {
  const edit = (files: Files) => {
    const text = files.get(MEMBER)!;
    return new Map(files).set(MEMBER, text.replaceAll('where: `', `where: \`{row}."name" <> 'ann' and `));
  };
  const api = await serveInProcess(database.url, METADATA, createLoader(), { edit });
  try {
    const query = '{ team { id members(order_by: {id: asc}) { name } } }';
    const answer = async (of: InProcess) =>
      JSON.parse(await of.answer({ query }, 'lead', { 'x-engine-user-id': '7' }));
    const shown = (...names: string[]) => ({
      data: { team: [{ id: 1, members: names.map((name) => ({ name })) }] },
    });
    expect(await answer(served)).toEqual(shown('ann', 'cid'));
    expect(await answer(api)).toEqual(shown('cid'));
  } finally {
    await api.end();
  }
});
