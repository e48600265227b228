/** `on_conflict` offers each key and unique index that PostgreSQL can infer, and no other; each of them works. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

let server: TestServer;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create function shortened(text) returns text language sql immutable as 'select left($1, 1)';
    create type mood as enum ('bad', 'good');
    create table kind (
      id integer, a text, b text, c integer, d text, m mood, "E f" text, note text, at int4range,
      constraint kind_pkey primary key (id),
      constraint by_constraint unique (a),
      constraint by_deferrable unique (b) deferrable,
      constraint by_deferred unique (b, c) deferrable initially deferred,
      constraint by_included unique (a, b) include (note),
      constraint by_exclusion exclude using gist (at with &&)
    );
    create unique index by_nulls on kind (c, d) nulls not distinct;
    create unique index by_part on kind (a, c) where note <> 'it''s "\\x"' and m = 'good';
    create unique index by_expression on kind (lower(a), (c + 1), "E f" desc nulls last) where "E f" is null or a is not null;
    create unique index by_function on kind (shortened(d)) where c is null or shortened(note) = 'x';
    create unique index by_collation on kind (a collate "C", b text_pattern_ops);
    create unique index by_collated_expression on kind ((a || b) collate "C" text_pattern_ops) include (note);
    create unique index by_json on kind (((d::jsonb) ->> 'x')) where d is json;
    create index by_not_unique on kind (note);
    create table invalid_kind (id integer primary key, a integer);
    create table temporal (id integer, at int4range, n integer);
    create table parted (region integer, k integer, note text, constraint parted_pkey primary key (region, k)) partition by list (region);
    create table parted_1 partition of parted for values in (1);
    create unique index parted_part on parted (region, lower(note)) where k > 0;
  `);
  await database.query('insert into invalid_kind values (1, 1), (2, 1)');
  await database.query('create unique index concurrently by_invalid on invalid_kind (a)').catch(() => {});
  await database.query('create extension if not exists btree_gist').catch(() => {});
  server = await startTestServer(database);
  const args = ['kind', 'invalid_kind', 'parted', 'temporal'].map((table) => ({
    type: 'pg_track_table',
    args: { table },
  }));
  expect((await send(server, '/v1/metadata', { body: { type: 'bulk', args } })).json).not.toHaveProperty(
    'error',
  );
});
afterAll(() => server?.stop());

async function ask(query: string) {
  const { json } = await send(server, '/v1/graphql', { body: { query } });
  return json as { data?: Record<string, { enumValues: { name: string }[] } | null>; errors?: unknown };
}

async function offered(table: string): Promise<string[]> {
  const { data } = await ask(`{ __type(name: "${table}_constraint") { enumValues { name } } }`);
  return data!.__type!.enumValues.map(({ name }) => name).sort();
}

test('what is offered', async () => {
  expect(await offered('kind')).toEqual(
    [
      'by_collated_expression',
      'by_collation',
      'by_constraint',
      'by_expression',
      'by_function',
      'by_included',
      'by_json',
      'by_nulls',
      'by_part',
      'kind_pkey',
    ].sort(),
  );
  expect(await offered('invalid_kind')).toEqual(['invalid_kind_pkey']);
  expect(await offered('parted')).toEqual(['parted_part', 'parted_pkey']);
});

test('each of them updates the row that is there, or leaves it alone', async () => {
  for (const constraint of await offered('kind')) {
    for (const update of ['[]', '[id]']) {
      const answer = await ask(
        `mutation { insert_kind_one(object: {id: 7}, on_conflict: {constraint: ${constraint}, update_columns: ${update}}) { id }
          delete_kind(where: {}) { affected_rows } }`,
      );
      expect(answer, constraint).toMatchObject({ data: { insert_kind_one: { id: 7 } } });
    }
  }
  for (const constraint of await offered('parted')) {
    const object = '{region: 1, k: 1, note: "x"}';
    const upsert = `insert_parted(objects: [${object}], on_conflict: {constraint: ${constraint}, update_columns: [note]}) { affected_rows }`;
    expect(
      await ask(`mutation { a: ${upsert} b: ${upsert} delete_parted(where: {}) { affected_rows } }`),
    ).toEqual({
      data: { a: { affected_rows: 1 }, b: { affected_rows: 1 }, delete_parted: { affected_rows: 1 } },
    });
  }
});

test.each([
  ['by_part', '{id: 1, a: "x", c: 1, m: "good", note: "n"}', '{id: 2, a: "x", c: 1, m: "good", note: "m"}'],
  ['by_function', '{id: 1, d: "xy"}', '{id: 2, d: "xz"}'],
  ['by_nulls', '{id: 1, d: "x"}', '{id: 2, d: "x"}'],
  ['by_collated_expression', '{id: 1, a: "x", b: "yz"}', '{id: 2, a: "xy", b: "z"}'],
])('%s finds its row', async (constraint, first, second) => {
  const insert = (object: string) =>
    `insert_kind(objects: [${object}], on_conflict: {constraint: ${constraint}, update_columns: [id]}) { returning { id } }`;
  const { data, errors } = await ask(
    `mutation { a: ${insert(first)} b: ${insert(second)} delete_kind(where: {}) { affected_rows } }`,
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({ b: { returning: [{ id: 2 }] }, delete_kind: { affected_rows: 1 } });
});
