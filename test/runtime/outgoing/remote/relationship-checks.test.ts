/** Which remote relationships are refused, with which text, and which role has one. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JoinedProject, startJoinedProject } from '../../../harness/joined-project.ts';
import { send } from '../../../harness/server.ts';

let project: JoinedProject;

beforeAll(async () => {
  project = await startJoinedProject();
});

afterAll(() => project?.stop());

beforeEach(() => project.forget());

test('a role has a relationship when it has both sides', async () => {
  const select = (source: string, table: string, columns: string[]) =>
    project.metadata('pg_create_select_permission', {
      source,
      table,
      role: 'agent',
      permission: { columns, filter: {} },
    });
  const isOffered = async (field: string) => {
    const { data } = (await project.ask('{ __type(name: "ticket") { fields { name } } }', 'agent')) as {
      data: { __type: { fields: { name: string }[] } };
    };
    return data.__type.fields.some(({ name }) => name === field);
  };
  await select('default', 'ticket', ['id', 'owner']);
  expect([await isOffered('holder'), await isOffered('user'), await isOffered('levelled')]).toEqual([
    false,
    false,
    false,
  ]);
  await project.metadata('pg_create_select_permission', {
    source: 'second',
    table: 'owner',
    role: 'agent',
    permission: { columns: ['name'], filter: { name: { _eq: 'X-Engine-Name' } } },
  });
  await project.metadata('add_remote_schema_permissions', {
    remote_schema: 'users',
    role: 'agent',
    definition: {
      schema: 'type Query { user(id: ID! @preset(value: "2")): User } type User { name: String }',
    },
  });
  expect([await isOffered('holder'), await isOffered('user'), await isOffered('levelled')]).toEqual([
    true,
    true,
    false,
  ]);
  const headers = { 'content-type': 'application/json', 'x-engine-role': 'agent', 'x-engine-name': 'second' };
  const query =
    '{ ticket(order_by: {id: asc}, where: {id: {_in: [1, 3]}}) { holder { name } user { name } } user { name } }';
  // The relationship goes before the preset.
  expect((await send(project.server, '/v1/graphql', { headers, body: { query } })).json).toEqual({
    data: {
      ticket: [
        { holder: null, user: { name: 'Ann' } },
        { holder: { name: 'second' }, user: { name: 'Bob' } },
      ],
      user: { name: 'Bob' },
    },
  });
});

const toRemote = (remote_field: object, lhs_fields = ['owner']) => ({
  to_remote_schema: { remote_schema: 'users', lhs_fields, remote_field },
});
const withId = (id: unknown) => toRemote({ user: { arguments: { id } } });
const withWhere = (where: unknown) => toRemote({ find: { arguments: { where } } });
const toSource = (changes: object) => ({
  to_source: {
    source: 'second',
    relationship_type: 'object',
    table: 'owner',
    field_mapping: { owner: 'id' },
    ...changes,
  },
});

test.each([
  [
    { to_remote_schema: { remote_schema: 'x', lhs_fields: [], remote_field: { a: { arguments: {} } } } },
    'remote schema with name "x" not found',
  ],
  [toRemote({ nothing: { arguments: {} } }), 'field with name "nothing" not found in remote schema'],
  [
    toRemote({ group: { arguments: { name: 'a' }, field: { nothing: { arguments: {} } } } }),
    'field with name "nothing" not found in remote schema',
  ],
  [toRemote({ user: { arguments: { x: 1 } } }), 'argument with name "x" not found in remote schema'],
  [withWhere({ x: 1 }), 'argument with name "x" not found in remote schema'],
  [withId('$level'), 'variable "level" is not found'],
  [withId('$'), 'Empty variable name'],
  [withId(['$owner']), 'type "ID"is not a list type'],
  [withId({ a: 1 }), 'type "ID"not an input object type'],
  [withId(null), 'null is not allowed here'],
  [
    withId(true),
    'Only ID, Int, uuid or String scalar types can be joined to the ID type, but received "Boolean"',
  ],
  [withWhere({ name: 5 }), 'expected type "String" but got "Int"'],
  [withWhere({ ids: ['1', '2'] }), 'multiple elements in list value is not supported'],
  [toRemote({ level: { arguments: { of: 'LOW' } } }), 'enum value is not supported'],
  [
    toRemote({ user: { arguments: {} } }, ['zzz']),
    'field with name "zzz"is not provided by the lhs entity"ticket"for defining a join condition, the allowed fields are "id", "owner", "level", or "note"',
  ],
  [toSource({ source: 'x' }), 'source not found: "x"'],
  [toSource({ table: 'zzz' }), 'table "zzz" does not exist in source: second'],
  [toSource({ field_mapping: { owner: 'zzz' } }), '"zzz" does not exist'],
])('a definition that does not fit: %j', async (definition, text) => {
  const args = { source: 'default', table: 'ticket', name: 'bad', definition };
  const answer = await project.metadata('pg_create_remote_relationship', args, 400);
  expect((answer as { error: string }).error).toContain(text);
});

test.each([
  ['Nothing', 'no type named "Nothing" defined in remote schema "users"'],
  ['Level', 'remote relationships on a remote schema can only be defined on object types'],
])('relationships of the type %s are refused', async (type_name, text) => {
  const args = { remote_schema: 'users', type_name, name: 'bad', definition: toSource({}) };
  const answer = await project.metadata('create_remote_schema_remote_relationship', args, 400);
  expect((answer as { error: string }).error).toContain(text);
});
