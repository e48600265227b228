/** Text of clients and rows in the URLs of handlers and webhooks: it never chooses another path, parameter or host. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../../../harness/webhook.ts';

let database: TestDatabase;
let server: TestServer;
let webhook: WebhookReceiver;

const transform = (url: string, query_params?: object) => ({
  version: 2,
  template_engine: 'Kriti',
  url,
  ...(query_params && { query_params }),
});

beforeAll(async () => {
  webhook = await startWebhook((_call, response) => response.end('{"ok":true}'));
  database = await createTestDatabase('create table note (id serial primary key, text text not null)');
  server = await startTestServer(database, {}, { HANDLER: `${webhook.url}/base` });
  const action = (name: string, request_transform: object) => ({
    type: 'create_action',
    args: {
      name,
      definition: {
        type: 'query',
        handler: '{{HANDLER}}',
        output_type: 'Done',
        arguments: [{ name: 's', type: 'String!' }],
        request_transform,
      },
    },
  });
  const args = [
    {
      type: 'set_custom_types',
      args: { objects: [{ name: 'Done', fields: [{ name: 'ok', type: 'Boolean' }] }] },
    },
    action('path', transform('{{$base_url}}/users/{{$body.input.s}}/posts?q={{$body.input.s}}')),
    action('pairs', transform('{{$base_url}}/{{escapeUri $body.input.s}}', { q: '{{$body.input.s}}' })),
    { type: 'pg_track_table', args: { table: 'note' } },
    {
      type: 'pg_create_event_trigger',
      args: {
        name: 'note',
        table: 'note',
        insert: { columns: '*' },
        webhook: '{{HANDLER}}',
        request_transform: transform('{{$base_url}}/rows/{{$body.event.data.new.text}}'),
      },
    },
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  expect([status, text]).toEqual([200, expect.stringContaining('success')]);
});
afterAll(async () => {
  await server?.stop();
  await webhook?.close();
});

const ATTACKS = [
  ...[
    'plain',
    'a/b',
    'a?admin=1',
    'a#b',
    'a&admin=1',
    'a;b',
    'a\\b',
    '//evil.example/x',
    '@evil.example',
    ':80',
  ],
  ...[
    '%2e%2e%2f',
    '%2F',
    '%00',
    'a\nb',
    'a\tb',
    'a\u0000b',
    ' ',
    '\u202e',
    '\ud800',
    'é',
    '…',
    '...',
    'http://evil.example/',
  ],
];
const CLIMBING = ['', '.', '..', '../..', '../../admin', '..\\admin', 'a/../b', '/..', './'];

const ask = async (field: string, s: string) => {
  const body = { query: `query ($s: String!) { ${field}(s: $s) { ok } }`, variables: { s } };
  return (await send(server, '/v1/graphql', { body })).text;
};

test.each(ATTACKS)('of an action: %j is one segment, and one parameter', async (s) => {
  const written = Buffer.from(s).toString();
  for (const [field, before, after] of [
    ['path', '/base/users/', '/posts'],
    ['pairs', '/base/', ''],
  ] as const) {
    webhook.calls.length = 0;
    expect(await ask(field, s)).toContain('"ok":true');
    const url = new URL(webhook.calls[0]!.path, webhook.url);
    expect(url.pathname).toBe(
      `${before}${url.pathname.slice(before.length, url.pathname.length - after.length)}${after}`,
    );
    const segment = url.pathname.slice(before.length, url.pathname.length - after.length);
    expect(segment).not.toContain('/');
    expect(decodeURIComponent(segment)).toBe(written);
    expect([...url.searchParams]).toEqual([['q', written]]);
  }
});

test.each(CLIMBING)('of an action: %j reaches no handler', async (s) => {
  webhook.calls.length = 0;
  for (const field of ['path', 'pairs']) expect(await ask(field, s)).toContain('"errors"');
  expect(webhook.calls).toEqual([]);
});

test('of an event: a row calls its own path, or none', async () => {
  webhook.calls.length = 0;
  for (const text of ['../admin', '..', 'a/b?c#d'])
    await database.query('insert into note (text) values ($1)', [text]);
  await expect.poll(() => webhook.calls.length, { timeout: 30_000 }).toBe(1);
  const failed = async () =>
    (await database.query(`select from engine_catalog.event_log where error or tries > 0`)).length;
  await expect.poll(failed, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
  expect(webhook.calls.map(({ path }) => path)).toEqual(['/base/rows/a%2Fb%3Fc%23d']);
});
