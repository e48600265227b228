/** What an operation grows to is bounded by its size: repeated parts are counted, and statements grow with the document. */
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_CLAUSES, MAX_REPEATED } from '../../../runtime/core/request/expansion.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

let served: InProcess;
beforeAll(async () => {
  const database = await createTestDatabase(
    `create table task (id int primary key, doc jsonb, parent int references task);
      insert into task values (1, '{}', null), (2, '{}', 1), (3, '{}', 2)`,
  );
  const using = { foreign_key_constraint_on: { table: 'task', column: 'parent' } };
  served = await serveInProcess(
    database.url,
    metadataOf([
      {
        table: 'task',
        object_relationships: [{ name: 'up', using: { foreign_key_constraint_on: 'parent' } }],
        array_relationships: [{ name: 'tasks', using }],
      },
    ]),
  );
  return () => served.end();
});

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const sql = (query: string, variables?: Record<string, unknown>) => served.sql({ query, variables }, 'admin');
const TOO_MANY = `the conditions and orders of the operation have more than ${MAX_CLAUSES} fields`;
const REFUSED = `the operation repeats more than ${MAX_REPEATED} parts of fragments and variables`;

test.each([
  ['conditions', `{_and: [${times(1000, () => '{id: {_eq: 1}}')}]}`],
  ['lists', `{id: {_in: [${times(3000, String)}]}}`],
  ['JSON', `{doc: {_contains: {a: [${times(3000, String)}]}}}`],
])('%s of fragments count wherever they are repeated', (_, where) => {
  const fragment = `fragment F on task { tasks(where: ${where}) { id } }`;
  const query = (uses: number) => `{ ${times(uses, (index) => `a${index}: task { ...F }`)} } ${fragment}`;
  expect(() => sql(query(2))).not.toThrow();
  expect(() => sql(query(6))).toThrow(REFUSED);
});

test('fields of fragments count wherever they are repeated', () => {
  const fragment = `fragment F on task { ${times(200, (index) => `f${index}: id`)} }`;
  const query = (uses: number) => `{ ${times(uses, (index) => `a${index}: task { ...F }`)} } ${fragment}`;
  expect(() => sql(query(40))).not.toThrow();
  expect(() => sql(query(60))).toThrow(REFUSED);
});

test('a fragment that is spread again in the same place adds nothing', () => {
  const doubled = times(30, (index) => `fragment F${index + 1} on task { ...F${index} ...F${index} }`);
  const query = (name: string) => `{ task { ...${name} } } fragment F0 on task { id } ${doubled}`;
  expect(sql(query('F30'))).toBe(sql(query('F0')));
});

test('parts of a variable count when it is used again, items of a list of scalars do not', () => {
  const conditions = (uses: number) =>
    sql(`query ($w: task_bool_exp) { ${times(uses, (index) => `a${index}: task(where: $w) { id }`)} }`, {
      w: { _and: Array.from({ length: 2000 }, () => ({ id: { _eq: 1 } })) },
    });
  expect(() => conditions(1)).not.toThrow();
  expect(() => conditions(4)).toThrow(REFUSED);
  const list = sql(
    `query ($ids: [Int!]) { ${times(50, (index) => `a${index}: task(where: {id: {_in: $ids}}) { id }`)} }`,
    { ids: Array.from({ length: 5000 }, (_, index) => index) },
  );
  expect(list).not.toContain('$2');
});

test('a document that repeats nothing may have more parts', () => {
  expect(() => sql(`{ task { ${times(MAX_REPEATED + 100, (index) => `f${index}: id`)} } }`)).not.toThrow();
});

test('more values than a statement of PostgreSQL takes are refused with a reason', () => {
  const ids = times(65_999, String);
  expect(() => sql(`query ($a: Int!) { task(where: {id: {_in: [$a ${ids}]}}) { id } }`, { a: 1 })).toThrow(
    'the operation has 66000 separate values, where PostgreSQL takes at most 65535',
  );
});

test.each<[name: string, fields: number, item: object]>([
  ['conditions', 2, { id: { _eq: 1 } }],
  ['empty conditions', 1, {}],
  ['conditions of relationships', 3, { up: { id: { _eq: 1 } } }],
  ['conditions of aggregates', 4, { tasks_aggregate: { count: { predicate: {} } } }],
  ['casts', 4, { doc: { _cast: { String: {} } } }],
])('%s of an operation are bounded', (_, fields, item) => {
  const ask = (count: number) =>
    sql('query ($w: task_bool_exp) { task(where: $w) { id } }', { w: { _or: Array(count).fill(item) } });
  const most = Math.floor((MAX_CLAUSES - 1) / fields);
  expect(() => ask(most)).not.toThrow(TOO_MANY);
  expect(() => ask(most + 1)).toThrow(TOO_MANY);
});

// PostgreSQL joins 4,000 tables for minutes, in 13 GB, and cannot be stopped meanwhile.
describe('tables that conditions look at', () => {
  const up = { up: { id: { _lte: 2 } } };
  const aggregate = { tasks_aggregate: { count: { predicate: { _gte: 0 } } } };
  const ask = (w: object) => ({
    query: 'query ($w: task_bool_exp) { task(where: $w) { id } }',
    variables: { w },
  });
  const nested = (levels: number): object => (levels === 0 ? {} : { up: nested(levels - 1) });

  test.each<[name: string, item: object]>([
    ['rows of object relationships', up],
    ['rows of array relationships', { tasks: { id: { _gt: 0 } } }],
    ['aggregates', aggregate],
  ])('are bounded: %s', (_, item) => {
    for (const all of ['_and', '_or'])
      expect(() => served.sql(ask({ [all]: Array(3000).fill(item) }), 'admin')).not.toThrow();
    expect(() => served.sql(ask({ _and: Array(3001).fill(item) }), 'admin')).toThrow(
      expect.objectContaining({
        message: 'the conditions of the operation look at more than 3000 tables',
        path: expect.stringContaining('$.selectionSet.task.args.where._and[3000]'),
      }),
    );
  });

  test('are bounded over all fields, and below each other', () => {
    const two = (count: number) =>
      sql(`query ($w: task_bool_exp) { a: task(where: $w) { id } b: task(where: $w) { id } }`, {
        w: { _and: Array(count).fill(up) },
      });
    expect(() => two(1500)).not.toThrow();
    expect(() => two(1501)).toThrow('look at more than 3000 tables');
    expect(() => served.sql(ask(nested(400)), 'admin')).not.toThrow();
    for (const deep of [nested(470), { _or: [nested(400), nested(400)] }])
      expect(() => served.sql(ask(deep), 'admin')).toThrow(
        'the conditions of the operation look at too many tables below each other',
      );
  });

  test('beyond a hundred are planned one by one, for the same answer', async () => {
    const text = served.sql(ask({ _and: Array(300).fill(up) }), 'admin');
    expect(text.split(' join ').length - 1).toBe(100);
    expect(text.split(' offset 0').length - 1).toBe(200);
    for (const w of [{ _and: Array(300).fill(up) }, { _and: Array(150).fill({ _or: [up, up] }) }])
      expect(await served.answer(ask(w), 'admin')).toBe(await served.answer(ask(up), 'admin'));
    expect(await served.answer(ask(up), 'admin')).toMatch(/"id":2\},\s*\{"id":3/);
  });
});

test('orders of an operation are bounded', () => {
  const ask = (count: number) =>
    sql('query ($a: [task_order_by!]) { task(order_by: $a) { id } }', {
      a: Array(count).fill({ id: 'asc' }),
    });
  expect(() => ask(MAX_CLAUSES)).not.toThrow();
  expect(() => ask(MAX_CLAUSES + 1)).toThrow(TOO_MANY);
});

test('rows and values of lists are not bounded as conditions are', () => {
  const objects = Array.from({ length: MAX_CLAUSES + 1 }, (_, id) => ({ id, doc: { id } }));
  const insert = 'mutation ($o: [task_insert_input!]!) { insert_task(objects: $o) { affected_rows } }';
  expect(() => sql(insert, { o: objects })).not.toThrow();
  const ids = objects.map(({ id }) => id);
  expect(() => sql('query ($i: [Int!]) { task(where: {id: {_in: $i}}) { id } }', { i: ids })).not.toThrow();
});

test('an error in a long list says where it is', () => {
  const w = { _or: [...Array(5000).fill({ id: { _eq: 1 } }), { up: { 'a b': 1 } }] };
  expect(() => sql('query ($w: task_bool_exp) { task(where: $w) { id } }', { w })).toThrow(
    expect.objectContaining({ path: '$.selectionSet.task.args.where._or[5000].up["a b"]' }),
  );
});

test('parts of a variable that are used once are one parameter wherever they are printed', () => {
  const query =
    'query ($w: task_bool_exp) { task_aggregate(where: $w) { aggregate { count } nodes { id } } }';
  expect(sql(query, { w: { _or: [{ id: { _eq: 1 } }, { id: { _eq: 2 } }] } })).not.toContain('$3');
});

test('directives that are repeated or unknown are found in any number', () => {
  const many = times(20_000, (index) => `@d${index}`);
  expect(() => sql(`{ task { id ${many} } }`)).toThrow("directive 'd0' is not defined in the schema");
  expect(() => sql(`{ task { id ${many} @d7 } }`)).toThrow(
    "the following directives are used more than once: 'd7'",
  );
});

test('objects nested more than joins are planned together are subselects, so that PostgreSQL moves none into another', () => {
  const nested = (levels: number) => `{ task { ${'up { '.repeat(levels)} id ${'}'.repeat(levels)} } }`;
  const joins = (levels: number) => sql(nested(levels)).split(' left join ').length - 1;
  expect(joins(7)).toBe(7);
  expect(joins(8)).toBe(7);
  expect(joins(60)).toBe(7);
  // Each further level adds the same text, but for the digits of its aliases.
  const lengths = [40, 80, 120].map((levels) => sql(nested(levels)).length);
  expect(lengths[2]! - lengths[1]!).toBeLessThan((lengths[1]! - lengths[0]!) * 1.2);
});

test('objects of aggregates beyond a few are subselects', () => {
  const query = `{ task_aggregate { aggregate { ${times(400, (index) => `a${index}: max { id }`)} } } }`;
  expect(sql(query).split('cross join lateral').length - 1).toBeLessThan(20);
});

test('fields of introspection with many occurrences merge, and share one validation', async () => {
  const same = `{ __schema { ${times(3000, () => 'queryType { name }')} } }`;
  expect(await served.answer({ query: same }, 'admin')).toContain('query_root');
  const different = '{ __schema { a: queryType { name } a: mutationType { name } } }';
  expect(() => sql(different)).toThrow("response name 'a'");
  expect(() => sql('{ a: __type(name: "task") { name } a: __type(name: "Int") { name } }')).toThrow();
  const many = `{ ${times(300, (index) => `a${index}: __type(name: "task") { name }`)} }`;
  expect(await served.answer({ query: many }, 'admin')).toContain('"a299":{"name":"task"}');
});
