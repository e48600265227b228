/** Writes whose conditions contradict each other: PostgreSQL's planner must not find out, because Citus fails the write then. */
import { beforeAll, expect, test } from 'vitest';
import { readRule } from '../../../../runtime/core/condition/rule.ts';
import type { SourceShape } from '../../../../runtime/core/contract/shapes.ts';
import { judge } from '../../../../runtime/core/shards/index.ts';
import { bindRow, raw, type Sql, sql } from '../../../../runtime/core/sql/fragment.ts';
import { print } from '../../../../runtime/core/sql/print.ts';
import {
  aliasNamed,
  and,
  columnOf,
  comparisonOf,
  conjunction,
  constant,
  deleteFrom,
  holeFor,
  nested,
  or,
  ruleFor,
  selectStatement,
  tableNamed,
  updateOf,
  withItem,
} from '../../../../runtime/core/sql/statement.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const source: SourceShape = {
  name: 'default',
  kind: 'postgres',
  types: {},
  distribution: { fingerprint: '', tables: { 'public.t': { kind: 'distributed', by: 'k', group: 1 } } },
};

const row = aliasNamed('t#1');
const is = (name: string, text: string) => comparisonOf(columnOf(row, name), '=', constant(raw(text)));
const turned = (name: string, text: string) => comparisonOf(constant(raw(text)), '=', columnOf(row, name));
const [ONE, TWO, THREE] = ['1', '2', '3'].map((text) => is('k', `(${text})::integer`)) as [Sql, Sql, Sql];
const N = (text: string) => is('n', `(${text})::bigint`);
const I = (end: string) => is('i', `('5f8b6d1e-4b6f-4c3d-9e2a-00000000000${end}')::uuid`);
const M = (text: string) => is('m', `('${text}')::"public"."mood"`);
const rule = (text: string) => {
  const read = readRule(text);
  return nested(ruleFor(read, row, bindRow(read.sql, row)));
};

const other = aliasNamed('o#2');
const value = (text: string) => constant(raw(`(${text})::integer`));
const columnIs = (own: string, alias: string, name: string) =>
  comparisonOf(columnOf(other, own), '=', columnOf(aliasNamed(alias), name));
const exists = (condition: Sql) => {
  const from = [{ rows: tableNamed('public', 't'), alias: other }];
  return sql`exists ${nested(selectStatement({ columns: raw('1'), from, where: [condition] }))}`;
};

const NEVER = sql`not ${raw('true')}`;

/** Conditions on k (the distribution column), n, w, i and m, and whether the text changes. */
const CONDITIONS: readonly (readonly [isChanged: boolean, ...conditions: readonly Sql[]])[] = [
  [true, ONE, TWO],
  [true, conjunction([ONE, TWO])],
  [true, nested(ONE), and([TWO, N('3')])],
  [true, turned('k', '(2)::integer'), turned('k', '(1)::integer')],
  [true, ONE, N('1'), N('2')],
  [true, ONE, is('w', "('a')::text"), is('w', "('b')::text")],
  [true, ONE, I('1'), I('2')],
  [true, ONE, M('sad'), M('glad')],
  [true, ONE, TWO, THREE],
  [true, rule('{row}."k" = 1'), is('k', '2')],
  [true, holeFor('rule', ONE), TWO],
  // What planners turn into an equality, a constant or a list of shards.
  [true, ONE, sql`not ${nested(comparisonOf(columnOf(row, 'k'), '<>', raw('(2)::integer')))}`],
  [true, ONE, N('1'), sql`not ${nested(sql`not ${nested(N('2'))}`)}`],
  [true, ONE, or([])],
  [true, ONE, sql`not ${raw('true')}`],
  [true, ONE, sql`not ${nested(or([N('1'), raw('true')]))}`],
  [true, ONE, nested(or([or([]), or([])]))],
  [true, ONE, rule('{row}."n" = 1'), holeFor('rule', sql`not ${raw('true')}`)],
  [
    true,
    ONE,
    exists(
      and([
        columnIs('k', 't#1', 'k'),
        columnIs('n', 't#1', 'n'),
        comparisonOf(columnOf(other, 'n'), '=', value('2')),
      ]),
    ),
    N('1'),
  ],
  [true, ONE, exists(and([columnIs('k', 't#1', 'k'), comparisonOf(columnOf(other, 'k'), '=', value('2'))]))],
  [true, ONE, exists(and([columnIs('k', 't#1', 'k'), or([])]))],
  // One fragment as a condition of two queries.
  [true, ONE, or([]), exists(and([columnIs('k', 't#1', 'k'), or([])]))],
  [true, ONE, NEVER, exists(and([columnIs('k', 't#1', 'k'), NEVER]))],
  [true, ONE, exists(and([columnIs('k', 't#1', 'k'), NEVER])), NEVER],
  [false, rule('{row}."k" = 1'), is('k', '1')],
  [false, ONE, ONE],
  [false, ONE, N('2')],
  [false, ONE, or([N('2'), N('3')])],
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(`
    create type mood as enum ('sad', 'glad');
    create table t (k integer primary key, n bigint, w text, i uuid, m mood);
    insert into t values (1, 1, 'a', null, 'sad');
  `);
});

const table = tableNamed('public', 't');
const WRITES = {
  update: (where: readonly Sql[]) =>
    updateOf({ table, alias: row, set: [{ column: 'n', value: raw('7') }], where }),
  delete: (where: readonly Sql[]) => deleteFrom({ table, alias: row, where }),
};

const textOf = (conditions: readonly Sql[]) => print(conjunction(conditions)).text;

test.each(
  CONDITIONS.flatMap(([isChanged, ...conditions]) =>
    Object.entries(WRITES).map(
      ([kind, write]) => [kind, isChanged, textOf(conditions), write(conditions)] as const,
    ),
  ),
)('%s, changed: %s: %s', async (_, isChanged, __, item) => {
  const name = aliasNamed('written');
  const count = selectStatement({ columns: raw('count(*)'), from: [{ rows: name }] });
  const statement = selectStatement({ columns: nested(count) });
  const whole = print(withItem({ name, item, returning: sql`${row}.*`, statement }), true);
  const {
    statement: { text },
    verdict,
  } = judge(whole, source);
  expect(verdict.kind).toBe('router');
  expect(text !== whole.text).toBe(isChanged);
  const plan = async (statement: string) =>
    (await database.query(`explain (costs off) ${statement}`)).map((line) => line['QUERY PLAN']).join('\n');
  if (isChanged) expect(await plan(whole.text)).toContain('One-Time Filter: false');
  expect(await plan(text)).not.toContain('One-Time Filter: false');
  if (isChanged) expect(await database.query(text)).toEqual([{ count: '0' }]);
});

test.each<[string, ...Sql[]]>([
  ['a list of keys', ONE, comparisonOf(columnOf(row, 'k'), '=', raw("any ('{2}'::integer[])"))],
  ['a list without keys', comparisonOf(columnOf(row, 'k'), '=', raw("any ('{}'::integer[])"))],
  ['one of several keys', ONE, or([TWO, THREE])],
  ['a column without nulls', ONE, comparisonOf(columnOf(row, 'k'), 'is', raw('null'))],
])('Citus prunes no shard by %s, and finds no contradiction', async (_, ...where) => {
  const name = aliasNamed('written');
  const statement = selectStatement({ columns: raw('count(*)'), from: [{ rows: name }] });
  const item = WRITES.delete(where);
  const { text } = judge(
    print(withItem({ name, item, returning: sql`${row}.*`, statement }), true),
    source,
  ).statement;
  expect(text).toContain(') is true');
  expect(await database.query(text)).toEqual([{ count: '0' }]);
});

test('a query keeps its conditions', () => {
  const query = selectStatement({
    columns: raw('1'),
    from: [{ rows: table, alias: row }],
    where: [ONE, TWO],
  });
  const whole = print(selectStatement({ columns: nested(query) }), true);
  expect(judge(whole, source).statement.text).toBe(whole.text);
});
