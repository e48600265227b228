/** A server with metadata on a database of its own, and the webhook that its triggers call. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { send, startTestServer, type TestServer } from './server.ts';
import { startWebhook, type WebhookReceiver } from './webhook.ts';

export interface EventsTest {
  readonly database: TestDatabase;
  readonly server: TestServer;
  readonly webhook: WebhookReceiver;
  /** An operation of the metadata API that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are as the operation has them.
  metadata(type: string, args: object): Promise<any>;
  /** The answer of an operation, whatever it is. */
  request(type: string, args: object): Promise<{ status: number; json: unknown }>;
  /** Creates an event trigger on `item` that lives as long as `use` runs. */
  trigger(name: string, definition: object, use: () => Promise<void>): Promise<void>;
  /** Waits for so many calls. */
  received(count: number): Promise<WebhookReceiver['calls']>;
}

/** To be called at the top of a test file. The table `item` is tracked. */
export function openEventsTest(
  schema: string,
  options: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
): EventsTest {
  const opened = {} as { database: TestDatabase; server: TestServer; webhook: WebhookReceiver };
  beforeAll(async () => {
    opened.database = await createTestDatabase(schema);
    opened.webhook = await startWebhook();
    opened.server = await startTestServer(
      opened.database,
      { EVENTS_FETCH_INTERVAL: '100', ...options },
      variables,
    );
    await metadata('pg_track_table', { table: 'item' });
  });
  afterAll(async () => {
    await opened.server?.stop();
    await opened.webhook?.close();
  });
  beforeEach(() => {
    opened.webhook.calls.length = 0;
    opened.webhook.respond = (_call, response) => response.end('{}');
  });
  const request = (type: string, args: object) =>
    send(opened.server, '/v1/metadata', { body: { type, args } });
  const metadata = async (type: string, args: object) => {
    const { status, json } = await request(type, args);
    expect(json, type).not.toHaveProperty('error');
    expect(status).toBe(200);
    return json;
  };
  return {
    get database() {
      return opened.database;
    },
    get server() {
      return opened.server;
    },
    get webhook() {
      return opened.webhook;
    },
    request,
    metadata,
    trigger: async (name, definition, use) => {
      const args = { name, table: 'item', webhook: opened.webhook.url, ...definition };
      await metadata('pg_create_event_trigger', args);
      try {
        await use();
      } finally {
        await metadata('pg_delete_event_trigger', { name });
      }
    },
    received: async (count) => {
      const { calls } = opened.webhook;
      await expect.poll(() => calls.length).toBeGreaterThanOrEqual(count);
      return calls;
    },
  };
}
