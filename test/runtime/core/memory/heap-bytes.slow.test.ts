/** Estimates of what caches hold, compared with the growth of the heap that they cause. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { MemoryBudget } from '../../../../runtime/core/memory/budget.ts';
import { linkProgram, type Program } from '../../../../runtime/core/program/program.ts';
import { createPlanner, type GraphqlRequest } from '../../../../runtime/core/request/planner.ts';
import { NOBODY } from '../../../../runtime/core/session.ts';
import { readDatabase } from '../../../../runtime/database/read-database.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let program: Program;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create table author (id int primary key, name text);
    create table article (id int primary key, title text, author_id int references author);
  `);
  const { files } = compile({
    metadata: readMetadata(
      metadataOf([
        { table: 'author' },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
        },
      ]),
    ).value,
    catalogs: { default: await readDatabase({ connectionString: database.url }, []) },
  });
  program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
});

const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

/** The request of a number: each is another operation, or another shape. */
const requests: Readonly<Record<string, (number: number) => GraphqlRequest>> = {
  'many fields': (n) => ({ query: `{ article { ${many(1500, (i) => `a${n}_${i}: title`)} } }` }),
  'many root fields': (n) => ({
    query: `{ ${many(150, (i) => `r${n}_${i}: article(where: {title: {_eq: "x"}}, limit: ${i}) { id author { name } }`)} }`,
  }),
  'many relationships': (n) => ({
    query: `{ article { ${many(400, (i) => `a${n}_${i}: author { name }`)} } }`,
  }),
  'many fragments': (n) => ({
    query: `{ article { ...f${n} } } ${many(400, (i) => `fragment ${i === 0 ? `f${n}` : `g${i}`} on article { b${i}: title }`)}`,
  }),
  'a long list': (n) => ({
    query: `{ article(where: {id: {_in: [${many(4000, (i) => String(n * 4000 + i))}]}}) { id } }`,
  }),
  'a long text': (n) => ({
    query: `{ article(where: {title: {_eq: "${String(n).padEnd(40_000, 'x')}"}}) { id } }`,
  }),
  'a long text beyond Latin-1': (n) => ({
    query: `{ article(where: {title: {_eq: "${String(n).padEnd(20_000, '中')}"}}) { id } }`,
  }),
  'shapes of conditions': (n) => ({
    query: 'query ($where: article_bool_exp) { article(where: $where) { id } }',
    variables: {
      where: {
        _or: Array.from({ length: 500 }, (_, i) =>
          (n >> (i % 9)) & 1 ? { id: { _eq: i } } : { title: { _eq: 'x' } },
        ),
      },
    },
  }),
  'shapes of rows': (n) => ({
    query: 'mutation ($rows: [article_insert_input!]!) { insert_article(objects: $rows) { affected_rows } }',
    variables: { rows: Array.from({ length: 800 + n }, (_, id) => ({ id, title: `t${id}` })) },
  }),
  'rows written in the document': (n) => ({
    query: `mutation { insert_article(objects: [${many(600, (i) => `{id: ${i}, title: "t${n}"}`)}]) { affected_rows } }`,
  }),
  'nested writes': (n) => ({
    query: `mutation { ${many(60, (i) => `m${n}_${i}: insert_article(objects: [{id: 1, author: {data: {id: 2}}}]) { returning { id author { name } } }`)} }`,
  }),
  'small operations': (n) => ({
    query: `{ ${n % 2 ? 'article' : 'author'}(limit: 1) { id ${many(5, (i) => `a${n}_${i}: id`)} } }`,
  }),
};

describe('operations and plans', () => {
  test.each(Object.entries(requests))('%s', (name, make) => {
    const memory = new MemoryBudget(1e9);
    const planner = createPlanner(
      program,
      { stringifyNumbers: false, collapseNulls: false },
      undefined,
      undefined,
      memory,
    );
    const plan = (number: number) => {
      // As a request brings it: nobody else holds its strings.
      const request = JSON.parse(JSON.stringify(make(number))) as GraphqlRequest;
      planner.plan({ ...NOBODY, role: 'admin' }, request);
    };
    // Types of the role, and everything else that is made once.
    plan(0);
    const count = name.startsWith('small') ? 500 : 15;
    const estimatedBefore = memory.used;
    const before = heapUsed();
    for (let number = 1; number <= count; number += 1) plan(number);
    const grown = heapUsed() - before;
    const estimated = memory.used - estimatedBefore;
    expect(grown, `${name}: ${grown / count} bytes each`).toBeLessThan(2 * estimated);
    expect(grown, `${name}: ${grown / count} bytes each`).toBeGreaterThan(estimated / 3);
  });
});

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
