/** The tutorial's requests, word for word, and the answers that it shows for them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDatabase } from '../../examples/prepare.ts';
import { readConfiguration } from '../../runtime/configuration/configuration.ts';
import { type RunningServer, startServer } from '../../runtime/server/main.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let server: RunningServer;
beforeAll(async () => {
  const database = await createTestDatabase('');
  await fillDatabase(database.url);
  const environment = { ENGINE_GRAPHQL_SERVER_PORT: '0' };
  server = await startServer({
    configuration: readConfiguration({}, environment),
    environment,
    generated: { directory: `${root}/generated`, sources: { default: database.url } },
    observe: Object.assign(() => {}, { flush: async () => {} }),
  });
});
afterAll(() => server?.stop());

const EXCHANGE =
  /```sh\ncurl http:\/\/localhost:8080(?<path>\S+) (?<options>[^`]*)-d '(?<body>[^']*)'\n```\n\n```json\n(?<answer>.*)\n```/g;

const exchanges = [...readFileSync(`${root}/docs/tutorial.md`, 'utf8').matchAll(EXCHANGE)].map(
  ({ groups }) => groups as { path: string; options: string; body: string; answer: string },
);

test('the tutorial shows requests', () => {
  expect(exchanges.length).toBeGreaterThan(0);
});

// In their order: a later one may build on what an earlier one wrote.
test.each(exchanges)('$body', async ({ path, options, body, answer }) => {
  const headers = Object.fromEntries(
    [...options.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name, value]) => [name!, value!]),
  );
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body });
  expect(await response.text()).toBe(answer);
});
