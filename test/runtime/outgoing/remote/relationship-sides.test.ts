/** Left sides of remote relationships beside columns of rows: computed fields, rows of functions and of actions; older forms. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Handler } from '../../../harness/handler.ts';
import { type JoinedProject, startJoinedProject } from '../../../harness/joined-project.ts';
import { send } from '../../../harness/server.ts';

let project: JoinedProject;

beforeAll(async () => {
  project = await startJoinedProject();
});

afterAll(() => project?.stop());

beforeEach(() => project.forget());

const user = (key: string) => ({ user: { arguments: { id: `$${key}` } } });

test('a computed field holds the value', async () => {
  await project.metadata('pg_add_computed_field', {
    table: 'ticket',
    name: 'owner_text',
    definition: { function: 'owner_text' },
  });
  await project.metadata('pg_create_remote_relationship', {
    table: 'ticket',
    name: 'by_text',
    definition: {
      to_remote_schema: {
        remote_schema: 'users',
        lhs_fields: ['owner_text'],
        remote_field: user('owner_text'),
      },
    },
  });
  expect(await project.ask('{ ticket_by_pk(id: 3) { by_text { name } } }')).toEqual({
    data: { ticket_by_pk: { by_text: { name: 'Bob' } } },
  });
  expect(project.users.calls.map(({ query }) => query)).toEqual(['query  { f0: user(id: "2") { name  } }']);
});

test('rows of a function', async () => {
  await project.metadata('pg_track_function', { function: 'tickets_of' });
  expect(await project.ask('{ tickets_of(args: {wanted: 1}) { id user { name } holder { name } } }')).toEqual(
    {
      data: {
        tickets_of: [
          { id: 1, user: { name: 'Ann' }, holder: { name: 'first' } },
          { id: 2, user: { name: 'Ann' }, holder: { name: 'first' } },
        ],
      },
    },
  );
  expect(project.requests()).toEqual([1, 0]);
});

test('rows that the answer of an action leads to', async () => {
  const handler = await new Handler().listen();
  try {
    handler.answer = (_, response) => response.end('{"ticket_id":3}');
    const relationship = {
      name: 'ticket',
      type: 'object',
      remote_table: 'ticket',
      field_mapping: { ticket_id: 'id' },
    };
    const Found = {
      name: 'Found',
      fields: [{ name: 'ticket_id', type: 'Int!' }],
      relationships: [relationship],
    };
    await project.metadata('set_custom_types', { objects: [Found] });
    await project.metadata('create_action', {
      name: 'search',
      definition: { type: 'query', handler: handler.url, output_type: 'Found', arguments: [] },
    });
    expect(await project.ask('{ search { ticket { id user { city { name } } payments { id } } } }')).toEqual({
      data: { search: { ticket: { id: 3, user: { city: { name: 'city 20' } }, payments: [] } } },
    });
    expect(project.requests()).toEqual([1, 1]);
  } finally {
    handler.close();
  }
});

test('the older form, and a table outside of public', async () => {
  const table = { schema: 'shop', name: 'cart' };
  await project.metadata('pg_track_table', { table });
  await project.metadata('create_remote_relationship', {
    table,
    name: 'owners',
    engine_fields: ['owner'],
    remote_schema: 'users',
    remote_field: { find: { arguments: { where: { id: '$owner' } } } },
  });
  const query =
    'query ($where: Where_remote_rel_shop_cartowners) { shop_cart { owners(where: $where) { name } } }';
  expect(await project.ask(query, 'admin', { where: { name: 'Bob' } })).toEqual({
    data: { shop_cart: [{ owners: [{ name: 'Bob' }] }] },
  });
  expect(project.requests()).toEqual([1, 0]);
  await project.metadata('update_remote_relationship', {
    table,
    name: 'owners',
    definition: {
      to_source: {
        source: 'second',
        relationship_type: 'array',
        table: 'owner',
        field_mapping: { owner: 'id' },
      },
    },
  });
  expect(
    await project.ask('{ shop_cart { owners { name } owners_aggregate { aggregate { count } } } }'),
  ).toEqual({
    data: { shop_cart: [{ owners: [{ name: 'second' }], owners_aggregate: { aggregate: { count: 1 } } }] },
  });
  await project.metadata('delete_remote_relationship', { table, name: 'owners' });
  expect(await project.ask('{ shop_cart { owners { name } } }')).toMatchObject({ errors: [{}] });
});

test('what a relationship uses is dropped with it only', async () => {
  await project.metadata('create_remote_relationship', {
    table: { schema: 'shop', name: 'cart' },
    name: 'buyer',
    engine_fields: ['owner'],
    remote_schema: 'users',
    remote_field: user('owner'),
  });
  expect(await project.metadata('remove_remote_schema', { name: 'users' }, 400)).toMatchObject({
    code: 'dependency-error',
    error: expect.stringContaining('remote relationship shop.cart.buyer in source "default"'),
  });
  const drop = async (cascade: boolean) => {
    const args = { sql: 'alter table shop.cart drop column owner', cascade };
    return (await send(project.server, '/v2/query', { body: { type: 'run_sql', args } })).json;
  };
  expect(await drop(false)).toMatchObject({
    code: 'dependency-error',
    error: expect.stringContaining('remote relationship shop.cart.buyer in source "default"'),
  });
  expect(await project.ask('{ shop_cart { buyer { name } } }')).toEqual({
    data: { shop_cart: [{ buyer: { name: 'Bob' } }] },
  });
  expect(await drop(true)).toMatchObject({ result_type: 'CommandOk' });
  expect(await project.ask('{ shop_cart { buyer { name } } }')).toMatchObject({ errors: [{}] });
});
