/**
 * Live queries and streams that depend on the time: a row that has become due is shown, although no data have changed. Writes are
 * recorded, so that nothing else has a query read again within half a minute.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSource } from '../../harness/metadata.ts';
import { leaks, send, serve, type TestServer } from '../../harness/server.ts';
import { connect, type TestSocket } from '../../harness/socket.ts';

const ADMIN = { 'x-engine-admin-secret': 'secret-of-timed' };

let server: TestServer;

/** By role: the rule of `event`. */
const RULES: Readonly<Record<string, object>> = {
  called: { due: { _lte: 'now()' } },
  keyword: { due: { _lte: 'now' } },
  spaced: { due: { _lte: ' Now ' } },
  local: { local: { _lte: 'now' } },
  domain: { far: { _lte: 'now' } },
  session: { due: { _lte: 'X-Engine-Until' } },
  related: { kind: { from_when: { _lte: 'now()' } }, due: { _lte: 'now()' } },
  among: { _not: { due: { _gt: 'now()' } } },
  flagged: { is_due: { _eq: true } },
  listed: { day: { _in: 'X-Engine-Days' } },
};

beforeAll(async () => {
  const everything = { columns: '*', filter: {} };
  const table = (name: string, more: object = {}) => ({ table: name, ...more });
  const url = {
    configuration: {
      connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } },
      live_queries: { record_writes: true },
    },
  };
  server = await serve({
    sql: `
    create domain far as timestamptz;
    create table kind (id int primary key, from_when timestamptz);
    create table event (id int primary key, kind_id int references kind, due timestamptz, local timestamp, far far,
      day date, days date[], span tstzrange);
    insert into kind values (1, '2000-01-01');
    create view due_event as select * from event where due <= now();
    create view due_again as select id from due_event;
    create view due_text as select id, due from event where due <= 'now'::text::timestamptz;
    create view due_local as select id from event where local <= localtimestamp;
    create function is_due(event) returns boolean language sql stable as 'select $1.due <= now()';
    create function until(moment timestamptz) returns setof event language sql immutable as
      'select * from event where due <= moment order by id';
    create function until_now(moment timestamptz default now()) returns setof event language sql immutable as
      'select * from event where due <= moment order by id';
  `,
    metadata: {
      version: 3,
      sources: [
        {
          ...defaultSource({
            tables: [
              table('event', {
                computed_fields: [{ name: 'is_due', definition: { function: 'is_due' } }],
                object_relationships: [{ name: 'kind', using: { foreign_key_constraint_on: 'kind_id' } }],
                select_permissions: Object.entries(RULES).map(([role, filter]) => ({
                  role,
                  permission: { columns: '*', filter },
                })),
              }),
              table('kind', {
                array_relationships: [
                  {
                    name: 'events',
                    using: { foreign_key_constraint_on: { table: 'event', column: 'kind_id' } },
                  },
                ],
                select_permissions: Object.keys(RULES).map((role) => ({ role, permission: everything })),
              }),
              ...['due_event', 'due_again', 'due_text', 'due_local'].map((name) => table(name)),
            ],
            functions: [{ function: 'until' }, { function: 'until_now' }],
          }),
          ...url,
        },
      ],
      inherited_roles: [{ role_name: 'heir', role_set: ['called', 'flagged'] }],
    },
    options: { ADMIN_SECRET: ADMIN['x-engine-admin-secret'], ENABLED_APIS: 'graphql,metadata,developer' },
  });
});

afterAll(async () => {
  await server?.stop();
  expect(leaks()).toEqual([]);
});

const IDS = 'event(order_by: {id: asc}) { id }';
const WHERE = `subscription ($at: timestamptz = "now()", $list: [timestamptz!] = ["now"])`;

interface Form {
  readonly query: string;
  readonly role?: string;
  readonly variables?: object;
}

const FORMS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    [...Object.keys(RULES), 'heir']
      .filter((role) => role !== 'listed')
      .map((role) => [`the rule of ${role}`, { query: `subscription { ${IDS} }`, role }]),
  ),
  'a rule of related rows': { query: 'subscription { kind { events { id } } }', role: 'called' },
  'a view': { query: 'subscription { due_event { id } }' },
  'a view of a view': { query: 'subscription { due_again { id } }' },
  'a view with a text': { query: 'subscription { due_text { id } }' },
  'a view with a keyword': { query: 'subscription { due_local { id } }' },
  'a literal': { query: 'subscription { event(where: {due: {_lte: "now"}}) { id } }' },
  'a literal as one writes it': { query: 'subscription { event(where: {due: {_lte: "now()"}}) { id } }' },
  'a literal below a relationship': {
    query: 'subscription { kind { events(where: {due: {_lte: "NOW"}}) { id } } }',
  },
  'a literal of a domain': { query: 'subscription { event(where: {far: {_lte: "now"}}) { id } }' },
  'a variable': {
    query: 'subscription ($at: timestamptz!) { event(where: {due: {_lte: $at}}) { id } }',
    variables: { at: 'now' },
  },
  'a variable of a whole condition': {
    query: 'subscription ($where: event_bool_exp!) { event(where: $where) { id } }',
    variables: { where: { _and: [{ local: { _lte: 'now()' } }] } },
  },
  'the default of a variable': { query: `${WHERE} { event(where: {due: {_lte: $at}}) { id } }` },
  'an argument of a function': { query: 'subscription { until(args: {moment: "now()"}) { id } }' },
  'the default of an argument': { query: 'subscription { until_now { id } }' },
  'a computed field': { query: 'subscription { event(where: {is_due: {_eq: true}}) { id } }' },
  'an aggregate': { query: 'subscription { due_event_aggregate { nodes { id } } }' },
  'a stream': {
    query:
      'subscription { event_stream(batch_size: 9, cursor: {initial_value: {id: 0}}, where: {due: {_lte: "now()"}}) { id } }',
  },
  'a stream of a role': {
    query: 'subscription { event_stream(batch_size: 9, cursor: {initial_value: {id: 0}}) { id } }',
    role: 'called',
  },
};

/** By role or name: forms that change at midnight, and how they say so. */
const DAILY: Readonly<Record<string, Form>> = {
  'a literal': { query: 'subscription { event(where: {day: {_eq: "today"}}) { id } }' },
  'a list': { query: 'subscription { event(where: {day: {_in: ["2020-01-01", "Yesterday"]}}) { id } }' },
  'a list of a variable': {
    query: 'subscription ($days: [date!]) { event(where: {day: {_in: $days}}) { id } }',
    variables: { days: ['2020-01-01', 'tomorrow'] },
  },
  'an array': { query: 'subscription { event(where: {days: {_contains: ["today"]}}) { id } }' },
  'a range': { query: 'subscription { event(where: {span: {_eq: "[today,tomorrow)"}}) { id } }' },
  'a list of a session': { query: `subscription { ${IDS} }`, role: 'listed' },
};

async function subscribe({ query, role, variables }: Form): Promise<TestSocket> {
  const session = role
    ? { 'x-engine-role': role, 'x-engine-until': 'now', 'x-engine-days': '{2020-01-01,tomorrow}' }
    : {};
  const socket = await connect(server, { session: { ...ADMIN, ...session } });
  socket.send({ type: 'subscribe', id: '1', payload: { query, variables } });
  return socket;
}

async function polled(): Promise<
  readonly { multiplexed_query: string; polled_because: string | null; cohort_count: number }[]
> {
  const { json } = await send(server, '/dev/subscriptions', { method: 'GET', headers: ADMIN });
  const { live_queries_map, stream_queries_map } = json as Record<string, never[]>;
  return [...live_queries_map!, ...stream_queries_map!];
}

test('what becomes due is shown', async () => {
  // Far enough ahead for every subscription to have begun without the row.
  const later = `now() + '8 s'`;
  await server.database.query(
    `insert into event (id, kind_id, due, local, far, days) values (1, 1, ${later}, ${later}, ${later}, array[now()::date])`,
  );
  const sockets = new Map<string, TestSocket>();
  for (const [name, form] of Object.entries(FORMS)) {
    const socket = await subscribe(form);
    sockets.set(name, socket);
    if (name.startsWith('a stream')) continue;
    const { payload } = await socket.next();
    expect([name, JSON.stringify(payload)]).toEqual([name, expect.not.stringContaining('"id"')]);
  }
  // Whatever else may have them read: each says itself that it is read at the interval.
  const unpolled = async () => (await polled()).filter(({ polled_because: reason }) => reason === null);
  await expect.poll(unpolled).toEqual([]);
  const waiting = () =>
    [...sockets].flatMap(([name, { texts }]) => (texts.at(-1)?.includes('"id":1') ? [] : [name]));
  await expect.poll(waiting).toEqual([]);
  for (const socket of sockets.values()) await socket.close();
});

test.each(Object.entries(DAILY))('%s is read at the interval', async (_, form) => {
  const socket = await subscribe(form);
  expect(await socket.next()).toMatchObject({ type: 'next' });
  await expect.poll(polled).toMatchObject([{ polled_because: 'the time in a value' }]);
  await socket.close();
  await expect.poll(polled).toEqual([]);
});

test('subscribers of one query whose values are no moment are not read for those of others', async () => {
  const query = 'subscription ($at: timestamptz!) { event(where: {due: {_lte: $at}}) { id } }';
  const socket = await subscribe({ query, variables: { at: '2000-01-01' } });
  await socket.next();
  await expect.poll(polled).toMatchObject([{ polled_because: null }]);
  const other = await subscribe({ query, variables: { at: 'now' } });
  await other.next();
  await expect.poll(polled).toMatchObject([{ polled_because: 'the time in a value', cohort_count: 2 }]);
  await other.close();
  await expect.poll(polled).toMatchObject([{ polled_because: null, cohort_count: 1 }]);
  await socket.close();
});

test.each([
  'event { id }',
  'event(where: {due: {_lte: "2020-01-01"}}) { id }',
  'today: kind { now: id events(where: {id: {_gt: 0}}, limit: 3) { id span } }',
])('what does not depend on the time is not read at the interval: %s', async (selection) => {
  const socket = await subscribe({ query: `subscription { ${selection} }` });
  await socket.next();
  await expect.poll(polled).toMatchObject([{ polled_because: null }]);
  await socket.close();
});

describe('a stream that begins now', () => {
  test.each([
    ['timestamptz', 'due', '"now()"'],
    ['timestamptz', 'due', '"now"'],
    ['timestamp', 'local', '" NOW "'],
    ['timestamptz', 'far', '"now"'],
  ])('%s %s: %s', async (_, column, start) => {
    await server.database.query(
      'truncate event; insert into event (id, due, local, far) values (1, now(), now(), now())',
    );
    const form = (from: string) => ({
      query: `subscription { event_stream(batch_size: 9, cursor: {initial_value: {${column}: ${from}}}) { id } }`,
    });
    const socket = await subscribe(form(start));
    // Its position is the moment when it was first read.
    const positions = async () => {
      const { json } = await send(server, '/dev/subscriptions/extended', { method: 'GET', headers: ADMIN });
      return JSON.stringify((json as { stream_queries_map: unknown }).stream_queries_map);
    };
    await expect.poll(positions).toMatch(/"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    await server.database.query('insert into event (id, due, local, far) values (2, now(), now(), now())');
    const message = await socket.next();
    expect(message).toMatchObject({ payload: { data: { event_stream: [{ id: 2 }] } } });
    await expect.poll(polled).toMatchObject([{ polled_because: null }]);
    await server.database.query('insert into event (id, due, local, far) values (3, now(), now(), now())');
    expect(await socket.next()).toMatchObject({ payload: { data: { event_stream: [{ id: 3 }] } } });
    await socket.close();
  });

  test('down from now, and from the first moment of today', async () => {
    await server.database.query(
      `truncate event; insert into event (id, due) values (1, '2000-01-01'), (2, now()), (3, now() + '1 h')`,
    );
    const cursor = (from: string) => `batch_size: 9, cursor: {initial_value: {due: "${from}"}`;
    const down = await subscribe({
      query: `subscription { event_stream(${cursor('now')}, ordering: DESC}) { id } }`,
    });
    expect(await down.next()).toMatchObject({ payload: { data: { event_stream: [{ id: 2 }, { id: 1 }] } } });
    const today = await subscribe({
      query: `subscription { event_stream(${cursor('today')}}) { id } }`,
    });
    expect(await today.next()).toMatchObject({ payload: { data: { event_stream: [{ id: 2 }, { id: 3 }] } } });
    await down.close();
    await today.close();
  });

  test('a moment that cannot be read is refused', async () => {
    const socket = await subscribe({
      query:
        'subscription { event_stream(batch_size: 9, cursor: {initial_value: {due: "now and then"}}) { id } }',
    });
    expect(await socket.next()).toMatchObject({ type: 'error' });
    await socket.close();
  });
});
