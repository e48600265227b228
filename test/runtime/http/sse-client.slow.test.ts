/** The public client of GraphQL over server-sent events is told why it gets no stream. `npm run pretest:slow` installs it. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve, type TestServer } from '../../harness/server.ts';

const folder = fileURLToPath(new URL('../../real-graphql-clients/', import.meta.url));

interface FailedResponse {
  readonly response: Response;
}

let server: TestServer;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server?.stop());

test.each(['{ __typename }', 'subscription { __typename }'])('%s', async (query) => {
  const { createClient } = createRequire(`${folder}package.json`)('graphql-sse');
  const client = createClient({ url: `http://127.0.0.1:${server.port}/v1/graphql`, retryAttempts: 0 });
  const error = await new Promise<FailedResponse>((resolve, reject) => {
    client.subscribe({ query }, { next: reject, error: resolve, complete: reject });
  });
  expect(error.response.status).toBe(406);
  expect(await error.response.json()).toMatchObject({
    errors: [
      {
        message: expect.stringContaining('run subscriptions over a WebSocket'),
        extensions: { code: 'not-supported' },
      },
    ],
  });
  client.dispose();
});
