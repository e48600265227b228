/** The example's saved operations, served from the committed folder: by URL, by name, and only these. */
import { fileURLToPath } from 'node:url';
import { validate } from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillDatabase } from '../../examples/prepare.ts';
import program from '../../generated/index.ts';
import { saved } from '../../generated/saved/index.ts';
import { readConfiguration } from '../../runtime/configuration/configuration.ts';
import { proofsOf } from '../../runtime/core/program/proof.ts';
import { type RunningServer, startServer } from '../../runtime/server/main.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';

let database: TestDatabase;
let server: RunningServer;

beforeAll(async () => {
  database = await createTestDatabase('');
  await fillDatabase(database.url);
  const environment = { ENGINE_GRAPHQL_SERVER_PORT: '0', ENGINE_GRAPHQL_ONLY_SAVED_OPERATIONS: 'true' };
  server = await startServer({
    configuration: readConfiguration({}, environment),
    environment,
    generated: {
      directory: fileURLToPath(new URL('../../generated', import.meta.url)),
      sources: { default: database.url },
    },
    observe: Object.assign(() => {}, { flush: async () => {} }),
  });
});
afterAll(() => server?.stop());

async function ask(role: string, user: number, method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { 'x-engine-role': role, 'x-engine-user-id': String(user), 'x-engine-tenant-id': '1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return JSON.parse(await response.text());
}
const customer = (method: string, path: string, body?: object) => ask('customer', 7, method, path, body);
const agent = (method: string, path: string, body?: object) => ask('agent', 2, method, path, body);

describe('the endpoints', () => {
  test('show a customer the own tickets, take an answer and close', async () => {
    const { ticket } = await customer('GET', '/api/rest/tickets?limit=1');
    expect(ticket).toMatchObject([{ status: 'open' }]);
    const path = `/api/rest/tickets/${ticket[0].id}`;
    const before = await customer('GET', path);
    expect(await customer('POST', `${path}/messages`, { body: 'Thank you!' })).toEqual({
      insert_message_one: { id: expect.any(Number), created_at: expect.any(String) },
    });
    const after = await customer('GET', path);
    expect(after.ticket_by_pk.messages).toHaveLength(before.ticket_by_pk.messages.length + 1);
    expect(await customer('DELETE', path)).toMatchObject({
      update_ticket_by_pk: { id: ticket[0].id, status: 'closed', messages: [{ body: 'Thank you!' }] },
    });
    // Closed is closed.
    expect(await customer('POST', `${path}/messages`, { body: 'One more thing' })).toMatchObject({
      code: 'permission-error',
    });
    const found = await customer('POST', '/api/rest/tickets/search', {
      where: { id: { _eq: ticket[0].id } },
    });
    expect(found.ticket).toHaveLength(1);
  });

  test('open a ticket with its first message, or neither', async () => {
    const subject = 'The zip is stuck';
    const { insert_ticket_one: opened } = await customer('POST', '/api/rest/tickets', {
      subject,
      body: 'Help!',
    });
    expect(opened).toMatchObject({ id: expect.any(Number), status: 'open', messages: [{ body: 'Help!' }] });
    expect(await customer('POST', '/api/rest/tickets', { subject, body: '' })).toMatchObject({
      code: 'permission-error',
      path: '$.selectionSet.insert_ticket_one.args.object.messages.data',
    });
    const [counted] = await database.query<{ count: string }>(
      'select count(*) from ticket where subject = $1',
      [subject],
    );
    expect(counted!.count).toBe('1');
  });

  test('show agents the queue of their team, and nobody else', async () => {
    const { ticket } = await agent('GET', '/api/rest/teams/1/queue');
    expect(ticket[0]).toEqual({
      id: expect.any(Number),
      subject: expect.any(String),
      priority: expect.any(String),
      customer: { name: expect.any(String) },
      messages_aggregate: { aggregate: { count: expect.any(Number) } },
    });
    expect((await customer('GET', '/api/rest/teams/1/queue')).error).toContain("field 'team_id' not found");
  });

  test.each(['/api/openapi.json', '/api/swagger/json'])(
    'are described by a valid document: %s',
    async (path) => {
      const document = await ask('admin', 1, 'GET', path);
      expect(Object.keys(document.paths)).toHaveLength(new Set(saved.routes.map(({ url }) => url)).size);
      await expect(validate(document)).resolves.toBeDefined();
    },
  );
});

test('operations are called by name, and nothing else is answered', async () => {
  const { data } = await agent('POST', '/v1/graphql', { documentId: 'queue', variables: { team: 1 } });
  const [{ id }] = data.ticket;
  expect(
    await agent('POST', '/v1/graphql', { documentId: 'service_desk/take', variables: { id, agent: 2 } }),
  ).toEqual({
    data: { update_ticket_by_pk: { id, assignee_id: 2 } },
  });
  const refused = await agent('POST', '/v1/graphql', { query: '{ ticket { id } }' });
  expect(refused.errors[0].message).toContain('only saved operations are answered');
});

test('every statement is one that Postgres accepts', async () => {
  const statements = proofsOf(program).filter(({ subjects }) =>
    subjects.some(({ kind }) => kind === 'saved operation'),
  );
  expect(statements.length).toBeGreaterThan(20);
  for (const { text } of statements) await database.query(`prepare p as ${text}; deallocate p`);
});
