/** Values that make the statement of a live query fail, and what they cost others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { leaks, send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, LEGACY, type TestSocket, TRANSPORT } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

/** A row for each value, unless the value, or its row of `trap`, is an SQLSTATE to fail with. Each evaluation is counted. */
const SCHEMA = `
  create table note (id int primary key, body text not null default '', n int, facts jsonb);
  create table trap (value text primary key, state text);
  create sequence evaluations;
  create function picky(v text) returns setof note language plpgsql immutable as $$
    declare state text := coalesce((select t.state from trap as t where t.value = v), v);
    begin
      perform nextval('evaluations');
      if state ~ '^[0-9A-Z]{5}$' then raise exception 'fails with %', state using errcode = state; end if;
      return query select * from note;
    end $$;`;

const PICKY = 'subscription ($v: String!) { picky(args: {v: $v}) { body } }';

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  database = await createTestDatabase(SCHEMA);
  // Nothing is polled: only changes bring results.
  server = await startTestServer(database, {
    LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
  });
  await metadata('pg_track_table', { table: 'note' });
  await metadata('pg_track_function', { function: 'picky' });
});

afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

async function begin(protocol = TRANSPORT): Promise<TestSocket> {
  await database.query(`truncate note, trap; insert into note values (1, 'first', 2, '{"a": 1}')`);
  return connect(server, { protocol });
}

function subscribe(socket: TestSocket, id: string, query: string, variables?: object): void {
  socket.send({ type: 'subscribe', id, payload: { query, variables } });
}

const evaluations = async () => {
  const [row] = await database.query('select last_value::int as count from evaluations');
  return Number((row as { count: number }).count);
};

/** Writes, and waits until a live query that reads everything has it. */
async function writeAndWait(socket: TestSocket, id: string, body: string): Promise<void> {
  await database.query('update note set body = $1', [body]);
  await expect
    .poll(() => socket.messages.filter((message) => message.id === id).at(-1)?.payload)
    .toMatchObject({ data: { picky: [{ body }] } });
}

const errorsOf = (socket: TestSocket, id: string) =>
  socket.messages.filter(({ id: of, payload }) => of === id && !Object.hasOwn(payload as object, 'data'));

describe('a value that makes the statement fail ends its subscription', () => {
  // Also codes that Postgres does not know, and those that it gives other errors, where a function raises them.
  test.each([
    '22012',
    '22P02',
    '22021',
    '21000',
    '23514',
    'P0001',
    'P0002',
    'PT402',
    '42P01',
    '42601',
    '38000',
    '54001',
  ])('with the SQLSTATE %s', async (state) => {
    const socket = await begin();
    subscribe(socket, 'good', PICKY, { v: 'good' });
    await socket.next();
    subscribe(socket, 'bad', PICKY, { v: state });
    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: 'bad',
      payload: [{ message: expect.any(String) }],
    });
    expect(await socket.next()).toEqual({ type: 'complete', id: 'bad' });
    await writeAndWait(socket, 'good', 'second');
    expect(socket.messages.filter(({ id }) => id === 'bad')).toHaveLength(2);
    await socket.close();
  });

  test.each([
    ['regular expression', 'note(where: {body: {_regex: $v}}) { id }', 'String', '('],
    ['SIMILAR TO pattern', 'note(where: {body: {_similar: $v}}) { id }', 'String', '('],
    ['NUL', 'note(where: {body: {_eq: $v}}) { id }', 'String', 'a\u0000b'],
    ['number out of range', 'note(where: {n: {_eq: $v}}) { id }', 'Int', 3_000_000_000],
    ['negative limit', 'note(limit: $v) { id }', 'Int', -1],
  ])('a %s', async (_what, field, type, value) => {
    const socket = await begin();
    subscribe(socket, 'good', PICKY, { v: 'good' });
    await socket.next();
    subscribe(socket, 'bad', `subscription ($v: ${type}!) { ${field} }`, { v: value });
    expect(await socket.next()).toMatchObject({ type: 'error', id: 'bad' });
    expect(await socket.next()).toEqual({ type: 'complete', id: 'bad' });
    await writeAndWait(socket, 'good', 'second');
    expect(socket.messages.filter(({ id }) => id === 'bad')).toHaveLength(2);
    await socket.close();
  });

  test('in the older protocol as well, and its id is free again', async () => {
    const socket = await begin(LEGACY);
    subscribe(socket, '1', PICKY, { v: '22012' });
    expect(await socket.next()).toMatchObject({ type: 'error', id: '1', payload: { errors: [{}] } });
    expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
    subscribe(socket, '1', PICKY, { v: 'good' });
    expect(await socket.next()).toMatchObject({ type: 'data', id: '1' });
    await socket.close();
  });

  test('of a stream as well', async () => {
    const socket = await begin();
    const stream =
      'subscription ($v: String!) { note_stream(batch_size: 1, cursor: {initial_value: {id: 0}}, where: {body: {_regex: $v}}) { id } }';
    subscribe(socket, 'bad', stream, { v: '(' });
    expect(await socket.next()).toMatchObject({ type: 'error', id: 'bad' });
    expect(await socket.next()).toEqual({ type: 'complete', id: 'bad' });
    await socket.close();
  });

  test('many cost once what finding them takes, and nothing after that', async () => {
    const socket = await begin();
    subscribe(socket, 'good', PICKY, { v: 'good' });
    await socket.next();
    const before = await evaluations();
    const many = 300;
    for (let index = 0; index < many; index += 1)
      subscribe(socket, `bad ${index}`, PICKY, { v: `2${String(2000 + index)}` });
    subscribe(socket, 'other', PICKY, { v: 'other' });
    await expect.poll(() => socket.messages.filter(({ type }) => type === 'complete').length).toBe(many);
    await expect
      .poll(() => socket.messages.some(({ id, type }) => id === 'other' && type === 'next'))
      .toBe(true);
    // Each failing statement evaluates at most the good value of its batch, and one that fails.
    expect((await evaluations()) - before).toBeLessThanOrEqual(4 * many);
    const found = await evaluations();
    for (const body of ['second', 'third', 'fourth']) {
      await writeAndWait(socket, 'good', body);
      await writeAndWait(socket, 'other', body);
    }
    // Both good values after each write, and once more where the write of the table was seen together with another transaction.
    expect((await evaluations()) - found).toBeLessThan(30);
    await socket.close();
  });
});

describe('an error that is not of the value', () => {
  test.each(['40001', '40P01', '53200', '55P03', '57014', '42501', '58030', 'XX000', '08006'])(
    'with the SQLSTATE %s is told once, and tried again',
    async (state) => {
      const socket = await begin();
      subscribe(socket, 'good', PICKY, { v: 'good' });
      await socket.next();
      subscribe(socket, 'bad', PICKY, { v: state });
      await expect.poll(() => socket.messages.filter(({ id }) => id === 'bad')).toHaveLength(1);
      await expect
        .poll(() => socket.messages.at(-1))
        .toMatchObject({ type: 'next', id: 'bad', payload: { data: null } });
      // Nothing writes any more.
      const before = await evaluations();
      await expect.poll(evaluations, { timeout: 30_000 }).toBeGreaterThan(before);
      await database.query(`insert into trap values ($1, 'none')`, [state]);
      await expect
        .poll(() => socket.messages.filter(({ id }) => id === 'bad').at(-1)?.payload, { timeout: 30_000 })
        .toMatchObject({ data: { picky: [{ body: 'first' }] } });
      await socket.close();
    },
  );
});

test('one whose data begin to make it fail is told once, costs its neighbours nothing, and goes on when they change back', async () => {
  const socket = await begin();
  for (const id of ['a', 'b', 'c']) subscribe(socket, id, PICKY, { v: id });
  for (const _ of [1, 2, 3]) await socket.next();
  await database.query(`insert into trap values ('b', '22012')`);
  await expect
    .poll(() => socket.messages.at(-1))
    .toMatchObject({ type: 'next', id: 'b', payload: { data: null } });
  for (const body of ['second', 'third', 'fourth']) {
    await writeAndWait(socket, 'a', body);
    await writeAndWait(socket, 'c', body);
  }
  // One that subscribes now has never had a result.
  subscribe(socket, 'late', PICKY, { v: 'b' });
  await expect.poll(() => socket.messages.at(-1)).toEqual({ type: 'complete', id: 'late' });
  expect(
    socket.messages.filter(({ id, payload }) => id === 'b' && Object.hasOwn(payload as object, 'errors')),
  ).toHaveLength(1);
  expect(errorsOf(socket, 'a')).toEqual([]);
  await database.query('delete from trap');
  await expect
    .poll(() => socket.messages.filter(({ id }) => id === 'b').at(-1)?.payload, { timeout: 30_000 })
    .toMatchObject({ data: { picky: [{ body: 'fourth' }] } });
  await socket.close();
});
