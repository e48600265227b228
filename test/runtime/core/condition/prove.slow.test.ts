/** Against PostgreSQL: whatever the prover says about two conditions has to be so for the rows of random tables. */
import { beforeAll, expect, test } from 'vitest';
import { createKnowledge } from '../../../../runtime/core/condition/knowledge.ts';
import { parseCondition } from '../../../../runtime/core/condition/parse.ts';
import { compareConditions, implies } from '../../../../runtime/core/condition/prove.ts';
import { source, type TableShape } from '../../../../runtime/core/contract/shapes.ts';
import { Random } from '../../../fuzz/random.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(`
    create type mood as enum ('x', 'y', 'z');
    create table item (id int primary key, a int, b int, t text, flag boolean, n int not null default 2, m mood);
    create table link (item int, a int, t text);
    create table one (id int primary key, a int not null, t text, m mood not null);
    insert into one select id, id % 4, nullif((array['x', 'y', 'z', ''])[id % 4 + 1], ''), (array['x', 'y', 'z'])[id % 3 + 1]::mood from generate_series(0, 3) id;
    insert into item
      select row_number() over (), a, b, t, flag
      from unnest(array[null, 0, 1, 2, 3]) a, unnest(array[null, 1, 2]) b, unnest(array[null, 'x', 'y', 'z']) t,
        unnest(array[null, true, false]) flag;
    update item set n = id % 5, m = (array['x', 'y', 'z', null])[id % 4 + 1]::mood;
    insert into link select id, a, t from item where id % 3 = 1;
    insert into link select id, (id % 4), 'y' from item where id % 5 < 2;
    insert into link values (null, 1, 'x'), (3, null, null);
  `);
});

function comparison(random: Random, row: string, hasFlag: boolean): string {
  const number = () => random.between(0, 3);
  const text = () => `'${random.pick(['x', 'y', 'z'])}'`;
  const column = random.pick(['a', 'b']);
  const value = hasFlag ? `${row}."${random.pick([column, 'n'])}"` : `${row}."a"`;
  switch (random.between(hasFlag ? -2 : 0, hasFlag ? 9 : 7)) {
    case -2:
      return `${row}."m" ${random.pick(['=', '<>', 'is distinct from'])} ${text()}`;
    case -1:
      return `${row}."m" ${random.pick(['in', 'not in'])} (${text()}, ${text()})`;
    case 0:
      return `${value} ${random.pick(['=', '<>', '<', '<=', '>', '>='])} ${number()}`;
    case 1:
      return `${value} ${random.pick(['in', 'not in'])} (${number()}, ${number()})`;
    case 2:
      return `${row}."t" ${random.pick(['=', '<>', 'is distinct from'])} ${text()}`;
    case 3:
      return `${row}."t" ${random.pick(['in', 'not in'])} (${text()}, ${text()})`;
    case 4:
      return `${random.pick([value, `${row}."t"`])} is ${random.pick(['null', 'not null'])}`;
    case 5:
      return `${value} ${random.pick(['=', '<>'])} {session.x-engine-number::integer}`;
    case 6:
      return `${row}."t" ${random.pick(['like', 'not like'])} ${text()}`;
    case 7:
      return random.pick(['true', 'false', `${value} = ${number()}`]);
    case 8:
      return `${row}."a" ${random.pick(['=', '<'])} ${row}."b"`;
    default:
      return `${row}."flag" ${random.pick(['=', '<>'])} ${random.pick(['true', 'false'])}`;
  }
}

const rows = source({
  name: 'default',
  kind: 'postgres',
  types: { 'public.mood': { kind: 'enum', values: ['x', 'y', 'z'] } },
});
const integer = { type: 'int4' };
const shapes: readonly TableShape[] = [
  {
    ...{ source: rows, schema: 'public', name: 'item', kind: 'table', graphqlName: 'item' },
    columns: {
      ...{ id: { ...integer, notNull: true }, a: integer, b: integer, t: { type: 'text' } },
      ...{ flag: { type: 'bool' }, n: { ...integer, notNull: true }, m: { type: 'public.mood' } },
    },
    primaryKey: { name: 'item_pkey', columns: ['id'] },
  },
  {
    ...{ source: rows, schema: 'public', name: 'link', kind: 'table', graphqlName: 'link' },
    columns: { item: integer, a: integer, t: { type: 'text' } },
  },
  {
    ...{ source: rows, schema: 'public', name: 'one', kind: 'table', graphqlName: 'one' },
    columns: {
      ...{ id: { ...integer, notNull: true }, a: { ...integer, notNull: true }, t: { type: 'text' } },
      m: { type: 'public.mood', notNull: true },
    },
    primaryKey: { name: 'one_pkey', columns: ['id'] },
  },
];
const knowledge = createKnowledge(shapes)(shapes[0]!, false);

let aliases = 0;

function condition(random: Random, depth: number, row = '{row}'): string {
  const kind = depth === 0 ? 0 : random.between(0, 6);
  if (kind <= 1) return comparison(random, row, row === '{row}');
  if (kind <= 3) {
    const parts = Array.from(
      { length: random.between(2, 3) },
      () => `(${condition(random, depth - 1, row)})`,
    );
    return parts.join(kind === 2 ? ' and ' : ' or ');
  }
  if (kind === 4) return `not (${condition(random, depth - 1, row)})`;
  if (kind === 5) {
    const when = condition(random, depth - 1, row);
    return `${random.pick(['', `(${when}) and `])}case when ${when} then ${condition(random, depth - 1, row)} end`;
  }
  aliases += 1;
  const alias = `"_r${aliases}"`;
  if (random.between(0, 2) === 0) {
    const key = random.pick([`${row}."a" = ${alias}."id"`, `${alias}."id" = {row}."n"`]);
    const inner = condition(random, depth - 1, alias);
    return `exists (select 1 from "public"."one" as ${alias} where ${key} and (${inner}))`;
  }
  const joined = row === '{row}' ? `${alias}."item" = {row}."id" and ` : '';
  return `exists (select 1 from "public"."link" as ${alias} where ${joined}(${condition(random, depth - 1, alias)}))`;
}

/** A condition near another, as edits of rules are. */
function edit(random: Random, text: string): string {
  const other = condition(random, 1);
  switch (random.between(0, 5)) {
    case 0:
      return `(${text}) and (${other})`;
    case 1:
      return `(${text}) or (${other})`;
    case 2:
      return text.replace(/ and /, ' or ');
    case 3:
      return text.replace(/ or /, ' and ');
    case 4:
      return text.replace(/not /, '');
    default:
      return text
        .replace(/\b[0-3]\b(?!")/, String(random.between(0, 3)))
        .replace(/'[xyz]'/, `'${random.pick(['x', 'y', 'z'])}'`);
  }
}

test('what is said of any two comparisons holds in PostgreSQL', async () => {
  const row = (column: string) => `{row}."${column}"`;
  const atoms = [
    ...['=', '<>', '<', '<=', '>', '>=', 'is distinct from'].flatMap((operator) =>
      [0, 1, 2, 3].map((value) => `${row('a')} ${operator} ${value}`),
    ),
    ...['=', '<>', 'is distinct from', 'like', 'not like'].flatMap((operator) =>
      ["'x'", "'y'"].map((value) => `${row('t')} ${operator} ${value}`),
    ),
    ...['a', 't', 'flag'].flatMap((column) => [`${row(column)} is null`, `${row(column)} is not null`]),
    ...["('x')", "('x', 'y')", "('z', 'y')"].flatMap((list) => [
      `${row('t')} in ${list}`,
      `${row('t')} not in ${list}`,
    ]),
    ...['(1)', '(1, 2)', '(2, 3)'].flatMap((list) => [
      `${row('a')} in ${list}`,
      `${row('a')} not in ${list}`,
    ]),
    ...['true', 'false'].flatMap((value) => [`${row('flag')} = ${value}`, `${row('flag')} <> ${value}`]),
    ...['=', '<>', '<'].flatMap((operator) => [
      `${row('a')} ${operator} ${row('b')}`,
      `${row('b')} ${operator} ${row('a')}`,
    ]),
    'true',
    'false',
  ];
  const rules = [...atoms, ...atoms.map((atom) => `not (${atom})`)];
  const rows = await Promise.all(
    rules.map(async (rule) => {
      const found = await database.query<{ id: number }>(
        `select id from item i where ${rule.replaceAll('{row}', 'i')}`,
      );
      return new Set(found.map(({ id }) => id));
    }),
  );
  const wrong: string[] = [];
  let proved = 0;
  rules.forEach((one, index) => {
    rules.forEach((other, at) => {
      if (!implies(parseCondition(one), parseCondition(other))) return;
      proved += 1;
      if ([...rows[index]!].some((id) => !rows[at]!.has(id))) wrong.push(`${one}  does not imply  ${other}`);
    });
  });
  expect(wrong).toEqual([]);
  expect(proved).toBeGreaterThan(rules.length * 5);
});

test('what is said of random rules holds in PostgreSQL', async () => {
  const random = new Random(2026);
  const pairs = Array.from({ length: Number(process.env.ENGINE_TEST_RULES ?? 700) }, (_, index) => {
    const before = condition(random, 3);
    return { before, after: index % 4 === 0 ? condition(random, 3) : edit(random, before) };
  });
  const decided = { same: 0, narrower: 0, 'not wider': 0, wider: 0, different: 0, undecidable: 0 };
  const sql = (rule: string, number: number) =>
    `(${rule.replaceAll('{row}', 'i').replaceAll('{session.x-engine-number::integer}', String(number))})`;
  for (const { before, after } of pairs) {
    const verdict = compareConditions(parseCondition(before), parseCondition(after), knowledge);
    decided[verdict] += 1;
    if (verdict === 'undecidable') continue;
    for (const number of [1, 2]) {
      const [row] = await database.query<{ lost: number; won: number; kept: number }>(
        `select count(*) filter (where old and not new)::int as lost, count(*) filter (where new and not old)::int as won,
           count(*) filter (where old and new)::int as kept
         from (select coalesce(${sql(before, number)}, false) as old, coalesce(${sql(after, number)}, false) as new from item i) x`,
      );
      const { lost, won, kept } = row!;
      const fits = {
        same: lost + won === 0,
        narrower: won === 0,
        'not wider': won === 0,
        wider: lost === 0,
        different: kept === 0,
      }[verdict];
      expect(fits, `${verdict}: ${lost} lost, ${won} won\n- ${before}\n+ ${after}`).toBe(true);
    }
  }
  // It decides enough to be of use: most edits are one of these.
  expect(decided.same + decided.narrower + decided['not wider'] + decided.wider).toBeGreaterThan(300);
  expect(Math.min(decided.narrower, decided.wider)).toBeGreaterThan(60);
}, 600_000);
