/** Joins whose remote schema fails, lies or answers in part. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JoinedProject, startJoinedProject } from '../../../harness/joined-project.ts';
import { send } from '../../../harness/server.ts';
import { connect } from '../../../harness/socket.ts';

let project: JoinedProject;

beforeAll(async () => {
  project = await startJoinedProject();
});

afterAll(() => project?.stop());

beforeEach(() => project.forget());

test('errors of a join fail the request', async () => {
  project.users.answer = () => '{"data":{"f0":null},"errors":[{"message":"no"}]}';
  expect(await project.ask('{ ticket_by_pk(id: 1) { user { name } } }')).toMatchObject({
    errors: [{ message: 'Errors from remote server', extensions: { code: 'unexpected', path: '$' } }],
  });
  project.users.answer = () => '{"data":{}}';
  expect(await project.ask('{ ticket_by_pk(id: 1) { user { name } } }')).toMatchObject({
    errors: [{ message: "failed to lookup key 'f0' in response" }],
  });
  expect(project.requests()).toEqual([2, 0]);
});

test('on_error: null keeps the rest of an answer, and lists the errors', async () => {
  const to_remote_schema = {
    remote_schema: 'users',
    lhs_fields: ['owner'],
    remote_field: { user: { arguments: { id: '$owner' } } },
    on_error: 'null',
  };
  const args = { source: 'default', table: 'ticket', name: 'maybe', definition: { to_remote_schema } };
  await project.metadata('pg_create_remote_relationship', args);
  const query = '{ ticket(order_by: {id: asc}, where: {id: {_in: [1, 3, 4]}}) { id maybe { name } } }';
  await project.metadata('create_query_collection', {
    name: 'saved',
    definition: { queries: [{ name: 'maybe', query: `query maybe ${query}` }] },
  });
  await project.metadata('create_rest_endpoint', {
    name: 'maybe',
    url: 'maybe',
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: 'maybe' } },
  });
  const errorOf = (message: string) => ({
    message,
    extensions: { path: '$.selectionSet.ticket.selectionSet.maybe', code: 'remote-schema-error' },
  });
  const rows = (first: string | null, second: string | null) => ({
    ticket: [
      { id: 1, maybe: first && { name: first } },
      { id: 3, maybe: second && { name: second } },
      { id: 4, maybe: null },
    ],
  });
  expect(await project.ask(query)).toEqual({ data: rows('Ann', 'Bob') });
  project.users.answer = () =>
    '{"data":{"f0":null,"f1":{"name":"Bob"}},"errors":[{"message":"no such user","path":["f0"]}]}';
  expect(await project.ask(query)).toEqual({ data: rows(null, 'Bob'), errors: [errorOf('no such user')] });
  project.users.answer = () => '<html>';
  const notJson = [
    errorOf(
      'Remote server response is not valid JSON: unexpected "<" at position 0; it answered with status 200 and a page instead of JSON; is this the address of its GraphQL endpoint?',
    ),
  ];
  expect(await project.ask(query)).toEqual({ data: rows(null, null), errors: notJson });
  const socket = await connect(project.server);
  socket.send({ id: '1', type: 'subscribe', payload: { query } });
  expect((await socket.next()).payload).toEqual({ data: rows(null, null), errors: notJson });
  await socket.close();
  // The answer of a REST endpoint has no place for errors; texts in other scripts fit into a header as well.
  project.users.answer = () =>
    '{"data":{"f0":{"name":"Ann"},"f1":null},"errors":[{"message":"nö 🙂","path":["f1"]}]}';
  const rest = await send(project.server, '/api/rest/maybe', { method: 'GET' });
  expect([rest.status, rest.json]).toEqual([200, rows('Ann', null)]);
  expect(JSON.parse(String(rest.headers['x-engine-errors']))).toEqual([errorOf('nö 🙂')]);
  // Errors that are not about an optional field fail the request, and so does a relationship that is not optional.
  project.users.answer = () => '{"data":{"f0":null,"f1":{"name":"Bob"}},"errors":[null]}';
  expect(await project.ask(query)).toEqual({
    data: rows(null, null),
    errors: [errorOf('Errors from remote server')],
  });
  project.users.answer = () =>
    '{"data":{"f0":null,"f1":null,"f2":null,"f3":null},"errors":[{"message":"x","path":["f2"]}]}';
  const both = query.replace('maybe', 'maybe { id } user { name } again: maybe');
  expect(await project.ask(both)).toMatchObject({ errors: [{ message: 'Errors from remote server' }] });
  await project.metadata('drop_rest_endpoint', { name: 'maybe' });
  await project.metadata('drop_query_collection', { collection: 'saved', cascade: true });
  await project.metadata('pg_delete_remote_relationship', {
    source: 'default',
    table: 'ticket',
    name: 'maybe',
  });
});

test('digits of numbers survive joins', async () => {
  project.users.answer = () => '{"data":{"f0":{"name":12345678901234567890.10}}}';
  const query = '{ ticket(where: {id: {_eq: 1}}) { user { name } } }';
  const { text } = await send(project.server, '/v1/graphql', { body: { query } });
  expect(text).toBe('{"data":{"ticket":[{"user":{"name":12345678901234567890.10}}]}}');
  expect(project.requests()).toEqual([1, 0]);
});
