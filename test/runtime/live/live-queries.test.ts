import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaks, send, serve, type TestServer } from '../../harness/server.ts';
import { connect, LEGACY, type TestSocket, TRANSPORT } from '../../harness/socket.ts';

let server: TestServer;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

const permission = (filter: object, columns: readonly string[] | '*' = '*') => ({
  table: 'note',
  role: 'user',
  permission: { columns, filter },
});

beforeAll(async () => {
  server = await serve({
    sql: `
    create table note (id int primary key, owner text not null, body text not null default '', share int, mood text);
    create table place (id int primary key, at point, spans int4range[], facts jsonb, moment timestamptz);
    insert into place values (1, '(1,2)', '{"[1,3)"}', '{"a": 1}', '2024-01-01T00:00:00Z');
    create function touch() returns setof note language sql volatile as
      'insert into note (id, owner) values (1, ''ann'') returning *';
    create function peek() returns setof note language sql volatile as 'select * from note';
    create function part(note) returns int language sql immutable as 'select 10 / $1.share';
  `,
    options: { LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '100', EXPERIMENTAL_FEATURES: 'group_by' },
  });
  await metadata('pg_track_table', { table: 'note' });
  await metadata('pg_track_table', { table: 'place' });
  for (const name of ['touch', 'peek'])
    await metadata('pg_track_function', { function: name, configuration: { exposed_as: 'query' } });
  await metadata('pg_add_computed_field', {
    table: 'note',
    name: 'part',
    definition: { function: 'part' },
  });
  await metadata('pg_create_select_permission', permission({ owner: { _eq: 'x-engine-user-id' } }));
  await metadata('pg_create_select_permission', {
    table: 'note',
    role: 'counter',
    permission: { columns: '*', filter: { owner: { _eq: 'x-engine-user-id' } }, allow_aggregations: true },
  });
});

afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

async function write(sql: string): Promise<void> {
  await server.database.query(sql);
}

const asUser = (user: string) => ({ 'x-engine-role': 'user', 'x-engine-user-id': user });

async function subscribe(socket: TestSocket, id: string, query: string, variables?: object): Promise<void> {
  socket.send({ type: 'subscribe', id, payload: { query, variables } });
}

/** A fresh table, and a socket that is connected. */
async function begin(session: Record<string, string> = {}, protocol = TRANSPORT): Promise<TestSocket> {
  await write('truncate note');
  return connect(server, { session, protocol });
}

describe('a live query', () => {
  test.each([
    [TRANSPORT, 'next'],
    [LEGACY, 'data'],
  ])('sends its first result, even an empty one, and then each change, %s', async (protocol, type) => {
    const socket = await begin({}, protocol);
    await subscribe(socket, '1', 'subscription { note(order_by: {id: asc}) { id body } }');
    expect(await socket.next()).toEqual({ type, id: '1', payload: { data: { note: [] } } });
    await write(`insert into note values (1, 'ann', 'first')`);
    expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ id: 1, body: 'first' }] } } });
    await write(`update note set share = 5`);
    await socket.silence(300);
    await write(`update note set body = 'second'`);
    expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ id: 1, body: 'second' }] } } });
    socket.send({ type: 'stop', id: '1' });
    await write(`update note set body = 'third'`);
    await socket.silence(300);
  });

  test('with a regular expression that is invalid ends with its place', async () => {
    const socket = await begin();
    await write(`insert into note values (1, 'ann')`);
    for (const [id, query, variables] of [
      ['constant', 'subscription { note(where: {_and: [{body: {_regex: "("}}]}) { id } }', undefined],
      [
        'variable',
        'subscription ($p: String) { note(where: {_and: [{body: {_regex: $p}}]}) { id } }',
        { p: '(' },
      ],
    ] as const) {
      await subscribe(socket, id, query, variables);
      expect(await socket.next()).toMatchObject({
        type: 'error',
        id,
        payload: [
          {
            extensions: {
              code: 'data-exception',
              path: '$.selectionSet.note.args.where._and[0].body._regex',
            },
          },
        ],
      });
      expect(await socket.next()).toEqual({ type: 'complete', id });
    }
  });

  test('by key, of an aggregate, with an alias and with __typename below', async () => {
    const socket = await begin();
    await write(`insert into note values (1, 'ann', 'it''s "quoted" \\ ü')`);
    await subscribe(socket, 'a', 'subscription { n: note_by_pk(id: 1) { body __typename } }');
    expect(await socket.next()).toMatchObject({
      payload: { data: { n: { body: 'it\'s "quoted" \\ ü', __typename: 'note' } } },
    });
    await subscribe(socket, 'b', 'subscription { note_by_pk(id: 2) { body } }');
    expect(await socket.next()).toMatchObject({ payload: { data: { note_by_pk: null } } });
    await subscribe(socket, 'c', 'subscription { note_aggregate { aggregate { count } nodes { id } } }');
    expect(await socket.next()).toMatchObject({
      payload: { data: { note_aggregate: { aggregate: { count: 1 }, nodes: [{ id: 1 }] } } },
    });
  });

  test('of groups, each session its own', async () => {
    const counter = (user: string) => ({ 'x-engine-role': 'counter', 'x-engine-user-id': user });
    const ann = await begin(counter('ann'));
    const bob = await connect(server, { session: counter('bob') });
    await write(
      `insert into note (id, owner, mood) values (1, 'ann', 'sad'), (2, 'bob', 'ok'), (3, 'ann', 'sad')`,
    );
    const query =
      'subscription { note_group_by(keys: [mood], order_by: {key: {mood: asc}}) { key { mood } aggregate { count } } }';
    const groups = (...list: (readonly [string, number])[]) => ({
      payload: {
        data: { note_group_by: list.map(([mood, count]) => ({ key: { mood }, aggregate: { count } })) },
      },
    });
    await subscribe(ann, '1', query);
    await subscribe(bob, '1', query);
    expect(await ann.next()).toMatchObject(groups(['sad', 2]));
    expect(await bob.next()).toMatchObject(groups(['ok', 1]));
    await write(`update note set mood = 'ok' where id = 3`);
    expect(await ann.next()).toMatchObject(groups(['ok', 1], ['sad', 1]));
  });

  test('each session and each value gets its own rows', async () => {
    const ann = await begin(asUser('ann'));
    const bob = await connect(server, { session: asUser('bob') });
    await write(`insert into note values (1, 'ann', 'a'), (2, 'bob', 'b'), (3, 'ann', 'c')`);
    const query =
      'subscription ($ids: [Int!]) { note(where: {id: {_in: $ids}}, order_by: {id: asc}) { body } }';
    await subscribe(ann, '1', query, { ids: [1, 2] });
    await subscribe(ann, '2', query, { ids: [1, 2, 3] });
    await subscribe(bob, '1', query, { ids: [1, 2] });
    const first = [await ann.next(), await ann.next()].sort((a, b) => (a.id! < b.id! ? -1 : 1));
    expect(first).toMatchObject([
      { id: '1', payload: { data: { note: [{ body: 'a' }] } } },
      { id: '2', payload: { data: { note: [{ body: 'a' }, { body: 'c' }] } } },
    ]);
    expect(await bob.next()).toMatchObject({ payload: { data: { note: [{ body: 'b' }] } } });
  });

  test('a VOLATILE function may read, and may not write', async () => {
    const socket = await begin();
    await subscribe(socket, '1', 'subscription { peek { id } }');
    expect(await socket.next()).toMatchObject({ id: '1', payload: { data: { peek: [] } } });
    await subscribe(socket, '2', 'subscription { touch { id } }');
    expect(await socket.next()).toMatchObject({
      id: '2',
      payload: {
        errors: [
          { message: expect.stringMatching(/^cannot execute INSERT in a read-only transaction: .*VOLATILE/) },
        ],
      },
    });
    expect(await server.database.query('select from note')).toEqual([]);
    await write(`insert into note values (2, 'ann')`);
    expect(await socket.next()).toMatchObject({ id: '1', payload: { data: { peek: [{ id: 2 }] } } });
  });

  test('a text that begins like a session variable stays a text', async () => {
    const socket = await begin(asUser('ann'));
    await write(`insert into note values (1, 'ann', 'x-engine-user-id'), (2, 'ann', 'ann')`);
    await subscribe(socket, '1', 'subscription { note(where: {body: {_eq: "x-engine-user-id"}}) { id } }');
    expect(await socket.next()).toMatchObject({ payload: { data: { note: [{ id: 1 }] } } });
  });

  test('values of every kind of type', async () => {
    const socket = await begin();
    await subscribe(
      socket,
      '1',
      `subscription ($facts: jsonb, $moment: timestamptz, $limit: Int) { place(limit: $limit, offset: 0,
        where: {facts: {_contains: $facts}, moment: {_gte: $moment}, spans: {_eq: ["[1,3)"]}, id: {_in: [1, 2]}}) {
          id at facts(path: "$.a") } }`,
      { facts: { a: 1 }, moment: '2023-12-31T23:00:00-05:00', limit: 5 },
    );
    expect(await socket.next()).toMatchObject({
      payload: { data: { place: [] } },
    });
    await write(`update place set moment = '2024-06-01T00:00:00Z'`);
    expect(await socket.next()).toMatchObject({
      payload: { data: { place: [{ id: 1, at: '(1,2)', facts: 1 }] } },
    });
  });

  test('values that are none of their types are an error before it starts', async () => {
    const socket = await begin();
    await subscribe(
      socket,
      '1',
      'subscription { place(where: {moment: {_gt: "yesterday evening"}}) { id } }',
    );
    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: '1',
      payload: [{ extensions: { code: 'data-exception' } }],
    });
    expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
  });

  test('a missing session variable is an error before it starts', async () => {
    const socket = await begin({ 'x-engine-role': 'user' });
    await subscribe(socket, '1', 'subscription { note { id } }');
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [
        { message: 'missing session variable: "x-engine-user-id"', extensions: { code: 'not-found' } },
      ],
    });
  });

  test('one that fails tells its own subscribers, once, and recovers', async () => {
    const socket = await begin();
    await write(`insert into note values (1, 'ann', 'a', 1), (2, 'bob', 'b', 1), (3, 'bob', 'c', 1)`);
    const query = 'subscription ($id: Int!) { note_by_pk(id: $id) { part } }';
    for (const id of [1, 2, 3]) await subscribe(socket, String(id), query, { id });
    for (const _ of [1, 2, 3])
      expect(await socket.next()).toMatchObject({ payload: { data: { note_by_pk: { part: 10 } } } });
    await write('update note set share = 0 where id = 2');
    expect(await socket.next()).toMatchObject({
      type: 'next',
      id: '2',
      payload: {
        data: null,
        errors: [{ message: 'division by zero', extensions: { code: 'data-exception' } }],
      },
    });
    await write('update note set share = 5 where id = 3');
    expect(await socket.next()).toMatchObject({ id: '3', payload: { data: { note_by_pk: { part: 2 } } } });
    await socket.silence(300);
    await write('update note set share = 1 where id = 2');
    expect(await socket.next()).toMatchObject({ id: '2', payload: { data: { note_by_pk: { part: 10 } } } });
  });

  test('documents that are no subscriptions that can run', async () => {
    const socket = await begin();
    const errors: unknown[] = [];
    for (const query of [
      'subscription { note { id } place { id } }',
      'subscription { __typename }',
      'subscription { nothing { id } }',
    ]) {
      await subscribe(socket, '1', query);
      const { payload } = await socket.next();
      errors.push((payload as { message: string }[])[0]!.message);
      await socket.next();
    }
    expect(errors).toEqual([
      'subscriptions must select one top level field',
      'Introspection at root field level is not supported over subscriptions',
      "field 'nothing' not found in type: 'subscription_root'",
    ]);
  });

  test('that was subscribed to is refused over HTTP as one that was not', async () => {
    const query = 'subscription { note(where: {id: {_lt: 0}}) { id } }';
    const overHttp = async () =>
      (await send(server, '/v1/graphql', { headers: asUser('ann'), body: { query } })).json;
    const refusal = await overHttp();
    expect(refusal).toMatchObject({
      errors: [{ message: expect.stringContaining('not supported over HTTP') }],
    });
    const socket = await connect(server, { session: asUser('ann') });
    socket.send({ type: 'subscribe', id: '1', payload: { query } });
    expect(await socket.next()).toMatchObject({ type: 'next' });
    expect(await overHttp()).toEqual(refusal);
    await socket.close();
  });

  test('several root fields where the operation asks for them', async () => {
    const socket = await begin();
    await write(`insert into note values (1, 'ann', 'a')`);
    await subscribe(socket, '1', 'subscription @_multiple_top_level_fields { note { id } place { id } }');
    expect(await socket.next()).toMatchObject({
      payload: { data: { note: [{ id: 1 }], place: [{ id: 1 }] } },
    });
  });

  test('an id is taken until the subscription ends', async () => {
    const message = 'an operation already exists with this id: 1';
    const old = await begin({}, LEGACY);
    await subscribe(old, '1', 'subscription { note { id } }');
    await old.next();
    await subscribe(old, '1', 'subscription { note { id } }');
    expect(await old.next()).toEqual({
      type: 'error',
      id: '1',
      payload: { message, extensions: { path: '$', code: 'start-failed' } },
    });
    old.send({ type: 'stop', id: '1' });
    await subscribe(old, '1', 'subscription { note { id } }');
    expect(await old.next()).toMatchObject({ type: 'data' });
    const socket = await begin();
    await subscribe(socket, '1', 'subscription { note { id } }');
    await socket.next();
    await subscribe(socket, '1', 'subscription { note { id } }');
    expect(await socket.closed()).toEqual({ code: 4409, reason: 'Subscriber for 1 already exists' });
  });
});

describe('a change of the metadata', () => {
  test('ends what is not allowed any more before it is acknowledged, and moves what is read otherwise', async () => {
    const user = await begin(asUser('ann'));
    const admin = await connect(server);
    await write(`insert into note values (1, 'ann', 'a'), (2, 'ann', 'b')`);
    const query = 'subscription { note(order_by: {id: asc}) { id } }';
    await subscribe(user, '1', query);
    await subscribe(user, '2', 'subscription { note_by_pk(id: 1) { id body } }');
    await subscribe(admin, '1', query);
    for (const socket of [user, user, admin]) await socket.next();
    const replace = async (filter: object, columns?: readonly string[]) => {
      const answer = await send(server, '/v1/metadata', {
        body: {
          type: 'bulk',
          args: [
            { type: 'pg_drop_select_permission', args: { table: 'note', role: 'user' } },
            { type: 'pg_create_select_permission', args: permission(filter, columns) },
          ],
        },
      });
      expect(answer.status).toBe(200);
    };
    // The same rows by another rule: nothing is sent.
    await replace({ owner: { _in: ['ann', 'cid'] } });
    await user.silence(300);
    await replace({ id: { _eq: 2 } });
    const moved = [await user.next(), await user.next()].sort((a, b) => (a.id! < b.id! ? -1 : 1));
    expect(moved).toMatchObject([
      { id: '1', payload: { data: { note: [{ id: 2 }] } } },
      { id: '2', payload: { data: { note_by_pk: null } } },
    ]);
    await replace({ id: { _eq: 2 } }, ['id']);
    expect(await user.next()).toMatchObject({
      type: 'error',
      id: '2',
      payload: [{ message: "field 'body' not found in type: 'note'" }],
    });
    expect(await user.next()).toEqual({ type: 'complete', id: '2' });
    await admin.silence(200);
    await write('delete from note where id = 2');
    expect(await user.next()).toMatchObject({ id: '1', payload: { data: { note: [] } } });
    expect(await admin.next()).toMatchObject({ id: '1', payload: { data: { note: [{ id: 1 }] } } });
    await replace({ owner: { _eq: 'x-engine-user-id' } });
  });
});
