/** The example's actions, from the committed folder to the program that `npm start` runs. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../examples/helpdesk/receiver.ts';
import { agent, roles } from '../../examples/helpdesk/roles.ts';
import { fillDatabase } from '../../examples/prepare.ts';
import { readConfiguration } from '../../runtime/configuration/configuration.ts';
import { type RunningServer, startServer } from '../../runtime/server/main.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const lines: string[] = [];
let receiver: Receiver;
let server: RunningServer;

beforeAll(async () => {
  const database = await createTestDatabase('');
  await fillDatabase(database.url);
  receiver = await startReceiver('s3cret', (line) => lines.push(line));
  server = await startServer({
    configuration: readConfiguration({ databaseUrl: database.url }, { ENGINE_GRAPHQL_SERVER_PORT: '0' }),
    environment: { HELPDESK_HOOKS: receiver.url, HELPDESK_HOOKS_SECRET: 's3cret' },
    generated: {
      directory: fileURLToPath(new URL('../../generated', import.meta.url)),
      sources: { default: database.url },
    },
    observe: Object.assign(() => {}, { flush: async () => {} }),
  });
});
afterAll(async () => {
  await server?.stop();
  await receiver?.close();
});

async function ask(headers: Readonly<Record<string, string>>, query: string) {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: Record<string, unknown>; errors?: readonly unknown[] };
}

test('an agent gets a suggestion with the ticket that it is about', async () => {
  const { data } = await ask(agent.headers, '{ ticket(limit: 1, order_by: { id: asc }) { id subject } }');
  const [ticket] = data.ticket as { id: number }[];
  const suggestion = await ask(
    agent.headers,
    `{ suggest_reply(ticket_id: ${ticket!.id}) { text ticket { id subject } } }`,
  );
  expect(suggestion).toEqual({
    data: { suggest_reply: { text: expect.stringContaining('Thank you'), ticket } },
  });
  // A ticket of nobody, or of another tenant.
  const other = await ask(agent.headers, '{ suggest_reply(ticket_id: 999999) { ticket { id } } }');
  expect(other).toEqual({ data: { suggest_reply: { ticket: null } } });
});

test('a manager exports tickets, and asks for the result by its id', async () => {
  const { headers } = roles.find(({ name }) => name === 'manager')!;
  const { data } = await ask(headers, 'mutation { export_tickets(since: "2026-01-01") }');
  const result = () =>
    ask(headers, `{ export_tickets(id: "${data.export_tickets}") { output { since url } } }`);
  await expect.poll(result).toEqual({
    data: {
      export_tickets: {
        output: {
          since: '2026-01-01',
          url: `https://files.help.example/${headers['x-engine-tenant-id']}/tickets-2026-01-01.csv`,
        },
      },
    },
  });
  expect((await ask(agent.headers, 'mutation { export_tickets(since: "2026-01-01") }')).errors).toHaveLength(
    1,
  );
});
