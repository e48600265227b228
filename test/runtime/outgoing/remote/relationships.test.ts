/** Remote relationships in every direction, and how many requests and statements they take. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JoinedProject, startJoinedProject } from '../../../harness/joined-project.ts';
import { connect } from '../../../harness/socket.ts';

let project: JoinedProject;

beforeAll(async () => {
  project = await startJoinedProject();
});

afterAll(() => project?.stop());

beforeEach(() => project.forget());

const ROWS = 'ticket(order_by: {id: asc}, where: {id: {_lte: 4}})';

test('a field of a remote schema: one request for all rows, each value once', async () => {
  expect(await project.ask(`{ ${ROWS} { id user { name } } }`)).toEqual({
    data: {
      ticket: [
        { id: 1, user: { name: 'Ann' } },
        { id: 2, user: { name: 'Ann' } },
        { id: 3, user: { name: 'Bob' } },
        { id: 4, user: null },
      ],
    },
  });
  expect(project.users.calls.map(({ body }) => JSON.parse(body))).toEqual([
    { query: 'query  { f0: user(id: 1) { name  } f1: user(id: 2) { name  } }' },
  ]);
});

test('all joins of a level to one remote are one request, whatever the fields and aliases', async () => {
  expect(
    await project.ask(`{
      ${ROWS} { a: user { id } b: user { id } found(where: {name: "Ann"}) { name } listed(where: {ids: ["3"]}) { id } }
      ticket_by_pk(id: 1) { user { id } }
    }`),
  ).toEqual({
    data: {
      ticket: [
        { a: { id: '1' }, b: { id: '1' }, found: [{ name: 'Ann' }], listed: [{ id: '1' }, { id: '3' }] },
        { a: { id: '1' }, b: { id: '1' }, found: [{ name: 'Ann' }], listed: [{ id: '1' }, { id: '3' }] },
        { a: { id: '2' }, b: { id: '2' }, found: [], listed: [{ id: '2' }, { id: '3' }] },
        { a: null, b: null, found: null, listed: null },
      ],
      ticket_by_pk: { user: { id: '1' } },
    },
  });
  expect(project.users.calls).toHaveLength(1);
  expect(project.users.calls[0]!.query.match(/user\(/g)).toHaveLength(2);
});

test('tables of another source', async () => {
  expect(
    await project.ask(`{ ${ROWS} {
      holder { name }
      payments(order_by: {id: desc}) { cents }
      first: payments(limit: 1, order_by: {id: asc}) { cents }
      some: payments(where: {cents: {_gt: 15}}) { id }
      payments_aggregate { aggregate { sum { cents } count } }
    } }`),
  ).toEqual({
    data: {
      ticket: [
        {
          holder: { name: 'first' },
          payments: [{ cents: 20 }, { cents: 10 }],
          first: [{ cents: 10 }],
          some: [{ id: 2 }],
          payments_aggregate: { aggregate: { sum: { cents: 30 }, count: 2 } },
        },
        {
          holder: { name: 'first' },
          payments: [{ cents: 30 }],
          first: [{ cents: 30 }],
          some: [{ id: 3 }],
          payments_aggregate: { aggregate: { sum: { cents: 30 }, count: 1 } },
        },
        {
          holder: { name: 'second' },
          payments: [],
          first: [],
          some: [],
          payments_aggregate: { aggregate: { sum: { cents: null }, count: 0 } },
        },
        {
          holder: null,
          payments: [],
          first: [],
          some: [],
          payments_aggregate: { aggregate: { sum: { cents: null }, count: 0 } },
        },
      ],
    },
  });
});

test('types of a remote schema lead to other remotes and to tables, to any depth', async () => {
  expect(
    await project.ask(
      '{ user(id: "1") { name home: city { name } tickets(order_by: {id: asc}) { id holder { name } user { city { id } } } } }',
    ),
  ).toEqual({
    data: {
      user: {
        name: 'Ann',
        home: { name: 'city 10' },
        tickets: [
          { id: 1, holder: { name: 'first' }, user: { city: { id: 10 } } },
          { id: 2, holder: { name: 'first' }, user: { city: { id: 10 } } },
        ],
      },
    },
  });
  // Levels: user; city and tickets; holder and user of tickets; city of those users.
  expect(project.users.calls).toHaveLength(2);
  expect(project.places.calls).toHaveLength(2);
  expect(project.users.calls[0]!.query).toBe(
    'query  { user(id: "1") { name  __join_0_User_home: cityId  __join_0_User_tickets: id  } }',
  );
});

test('a relationship to a type that leads back to itself', async () => {
  await project.metadata('create_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'again',
    definition: {
      to_remote_schema: {
        remote_schema: 'users',
        lhs_fields: ['id'],
        remote_field: { user: { arguments: { id: '$id' } } },
      },
    },
  });
  expect(await project.ask('{ user(id: "1") { again { name again { name } } } }')).toEqual({
    data: { user: { again: { name: 'Ann', again: { name: 'Ann' } } } },
  });
  expect(project.requests()).toEqual([3, 0]);
  await project.metadata('delete_remote_schema_remote_relationship', {
    remote_schema: 'users',
    type_name: 'User',
    name: 'again',
  });
});

test('hidden fields stay hidden on interfaces', async () => {
  expect(
    await project.ask('{ spots { key ... on Cafe { owners { name } } ... on Park { trees } } }'),
  ).toEqual({
    data: {
      spots: [
        { key: 'c', owners: [{ name: 'first' }] },
        { key: 'p', trees: 3 },
      ],
    },
  });
  expect(project.requests()).toEqual([0, 1]);
});

test('nothing to look up, no request', async () => {
  expect(
    await project.ask('{ ticket(where: {owner: {_is_null: true}}) { user { name } holder { name } } }'),
  ).toEqual({
    data: { ticket: [{ user: null, holder: null }] },
  });
  expect(project.users.calls).toEqual([]);
});

test('many values travel in chunks, as variables', async () => {
  const ids = Array.from({ length: 600 }, (_, index) => index + 100);
  const rows = ids.map((id) => ({ id, owner: id, note: 'many' }));
  await project.ask(
    'mutation ($rows: [ticket_insert_input!]!) { insert_ticket(objects: $rows) { affected_rows } }',
    'admin',
    { rows },
  );
  try {
    const answer = (await project.ask('{ ticket(where: {note: {_eq: "many"}}) { user { name } } }')) as {
      data: { ticket: unknown[] };
    };
    expect(answer.data.ticket).toHaveLength(600);
    expect(project.users.calls).toHaveLength(3);
    expect(Object.keys(project.users.calls[0]!.variables!)).toHaveLength(250);
  } finally {
    await project.ask('mutation { delete_ticket(where: {note: {_eq: "many"}}) { affected_rows } }');
  }
});

test('rows that a mutation returns are joined', async () => {
  expect(
    await project.ask(
      'mutation { update_ticket(where: {id: {_eq: 1}}, _set: {note: "a"}) { returning { id user { name } holder { name } } } }',
    ),
  ).toEqual({
    data: { update_ticket: { returning: [{ id: 1, user: { name: 'Ann' }, holder: { name: 'first' } }] } },
  });
  expect(project.requests()).toEqual([1, 0]);
});

test('aggregates have joins in their nodes', async () => {
  expect(
    await project.ask(
      '{ ticket_aggregate(where: {id: {_eq: 3}}) { aggregate { count } nodes { user { name } } } }',
    ),
  ).toEqual({
    data: { ticket_aggregate: { aggregate: { count: 1 }, nodes: [{ user: { name: 'Bob' } }] } },
  });
  expect(project.requests()).toEqual([1, 0]);
});

test('subscriptions have no joins, neither to remote schemas nor to other sources', async () => {
  const socket = await connect(project.server);
  for (const field of ['user { name }', 'holder { name }', 'payments { id }']) {
    const query = `subscription { ticket { id ${field} } }`;
    socket.send({ id: field, type: 'subscribe', payload: { query } });
    const refused = JSON.stringify((await socket.next()).payload);
    expect(refused).toContain('Remote relationships are not allowed in subscriptions');
    expect(refused).toContain('not-supported');
    expect(await socket.next()).toMatchObject({ type: 'complete' });
  }
  await socket.close();
  expect(project.users.calls).toEqual([]);
});

test('values that the column of another source cannot have are null, and the others are found', async () => {
  const outside = [2147483648, -2147483649, '9223372036854775807', 3];
  const rows = outside.map((owner, index) => ({ id: 100 + index, owner, note: 'outside' }));
  const insert =
    'mutation ($rows: [ticket_insert_input!]!) { insert_ticket(objects: $rows) { affected_rows } }';
  await project.ask(insert, 'admin', { rows });
  try {
    expect(
      await project.ask('{ ticket(where: {note: {_eq: "outside"}}, order_by: {id: asc}) { holder { id } } }'),
    ).toEqual({
      data: { ticket: [{ holder: null }, { holder: null }, { holder: null }, { holder: { id: 3 } }] },
    });
  } finally {
    await project.ask('mutation { delete_ticket(where: {note: {_eq: "outside"}}) { affected_rows } }');
  }
});

test('rows of another source keep names that are too long for a column of Postgres', async () => {
  const long = 'n'.repeat(70);
  expect(
    await project.ask(
      `{ ticket(where: {id: {_in: [1, 4]}}, order_by: {id: asc}) { holder { ${long}: name id } payments(order_by: {id: asc}) { ${long}: cents } } }`,
    ),
  ).toEqual({
    data: {
      ticket: [
        { holder: { [long]: 'first', id: 1 }, payments: [{ [long]: 10 }, { [long]: 20 }] },
        { holder: null, payments: [] },
      ],
    },
  });
});

test('different remote schemas are asked at the same time', async () => {
  const waiting: (() => void)[] = [];
  // Each answers when both have been asked.
  const both = (text: string) => () =>
    new Promise<string>((resolve) => {
      waiting.push(() => resolve(text));
      if (waiting.length === 2) for (const answer of waiting) answer();
    });
  project.users.answer = both('{"data":{"user":{"id":"1"}}}');
  project.places.answer = both('{"data":{"city":{"id":10}}}');
  expect(await project.ask('{ user(id: 1) { id } city(id: 10) { id } ticket_by_pk(id: 1) { id } }')).toEqual({
    data: { user: { id: '1' }, city: { id: 10 }, ticket_by_pk: { id: 1 } },
  });
  expect(project.requests()).toEqual([1, 1]);
});

test.each(['where: {holder: {}}', 'where: {user: {}}', 'order_by: {holder: {id: asc}}'])(
  'conditions and orders have no remote relationships: %s',
  async (argument) => {
    expect(await project.ask(`{ ticket(${argument}) { id } }`)).toMatchObject({
      errors: [
        { message: expect.stringContaining('not found in type'), extensions: { code: 'validation-failed' } },
      ],
    });
  },
);
