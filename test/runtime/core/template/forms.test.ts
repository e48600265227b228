/** Forms that transforms make: the content type with which they are called, and the warning where it is that of JSON. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answering, Handler } from '../../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { compileJson } from '../../../harness/project.ts';
import { send, startTestServer, type TestServer } from '../../../harness/server.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const form = { action: 'x_www_form_urlencoded', form_template: { a: 'b c' } };

/** What a transform says of its headers, and the content types that go out. */
const CASES = {
  plain: [undefined, [JSON_TYPE]],
  removed: [{ remove_headers: ['Content-Type'] }, []],
  added: [{ add_headers: { 'Content-Type': FORM } }, [JSON_TYPE, FORM]],
  marked: [{ remove_headers: ['Content-Type'], add_headers: { 'Content-Type': FORM } }, [FORM]],
  lower: [{ remove_headers: ['content-type'], add_headers: { 'content-type': FORM } }, [FORM]],
  charset: [
    { remove_headers: ['CONTENT-TYPE'], add_headers: { 'Content-Type': `${FORM}; charset=utf-8` } },
    [`${FORM}; charset=utf-8`],
  ],
  other: [{ remove_headers: ['User-Agent'], add_headers: { 'X-Type': FORM } }, [JSON_TYPE]],
} as const;
const names = Object.keys(CASES) as (keyof typeof CASES)[];
const warned = names.filter((name) => !['marked', 'lower', 'charset'].includes(name));

function transformOf(name: keyof typeof CASES): object {
  const [request_headers] = CASES[name];
  return {
    version: 2,
    template_engine: 'Kriti',
    body: form,
    ...(request_headers && { request_headers }),
  };
}

const actions = (url: string) =>
  names.map((name) => ({
    name: `act_${name}`,
    definition: {
      handler: `${url}/action-${name}`,
      output_type: 'String',
      request_transform: transformOf(name),
    },
    permissions: [{ role: 'user' }],
  }));
const eventTriggers = (url: string) =>
  names.map((name) => ({
    name: `on_${name}`,
    webhook: `${url}/event-${name}`,
    definition: { insert: { columns: '*' } },
    retry_conf: { num_retries: 0, interval_sec: 1 },
    request_transform: transformOf(name),
  }));
const cronTriggers = (url: string) =>
  names.map((name) => ({
    name: `at_${name}`,
    webhook: `${url}/cron-${name}`,
    schedule: '0 0 1 1 *',
    include_in_metadata: true,
    request_transform: transformOf(name),
  }));

let database: TestDatabase;
let handler: Handler;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase('create table note (id serial primary key, text text)');
  handler = await new Handler().listen();
  handler.answer = answering('"done"');
  server = await startTestServer(database, { EVENTS_FETCH_INTERVAL: '100' });
  const { json } = await send(server, '/v1/metadata', { body: { type: 'export_metadata', args: {} } });
  const { sources } = json as { sources: { name: string }[] };
  const metadata = {
    version: 3,
    sources: [{ ...sources[0], tables: [{ table: 'note', event_triggers: eventTriggers(handler.url) }] }],
    actions: actions(handler.url),
    cron_triggers: cronTriggers(handler.url),
  };
  const answer = await send(server, '/v1/metadata', { body: { type: 'replace_metadata', args: metadata } });
  expect(answer.json).toEqual({ message: 'success' });
}, 120_000);

afterAll(async () => {
  await server?.stop();
  handler?.close();
  await database?.drop();
});

test('a compile warns of those that leave as JSON, of every kind', () => {
  const { diagnostics } = compileJson({
    version: 3,
    sources: [],
    actions: actions('http://x'),
    cron_triggers: cronTriggers('http://x'),
  });
  const found = diagnostics.filter(({ code }) => code === 'form-content-type');
  expect(found.map(({ message }) => /transform of (.*) is sent/.exec(message)![1]).sort()).toEqual(
    warned.flatMap((name) => [`action "act_${name}"`, `cron trigger "at_${name}"`]).sort(),
  );
  expect(
    found.every(({ severity, path }) => severity === 'warning' && path.at(-1) === 'request_transform'),
  ).toBe(true);
});

test.each(names)('calls of %s', async (name) => {
  const types = () =>
    Object.fromEntries(
      handler.calls
        .filter(({ url, body }) => url.endsWith(`-${name}`) && body === 'a=b%20c')
        .map(({ url, rawHeaders }) => [
          url,
          rawHeaders.filter(
            (_, index) => /^content-type$/i.test(rawHeaders[index - 1] ?? '') && index % 2 === 1,
          ),
        ]),
    );
  await send(server, '/v1/graphql', { body: { query: `mutation { act_${name} }` } });
  await database.query('insert into note (text) values ($1)', ['x']);
  await database.query(
    `insert into engine_catalog.cron_events (trigger_name, scheduled_time) values ($1, now() - interval '1 second')`,
    [`at_${name}`],
  );
  const [, expected] = CASES[name];
  await expect.poll(types, { timeout: 30_000 }).toEqual({
    [`/action-${name}`]: expected,
    [`/event-${name}`]: expected,
    [`/cron-${name}`]: expected,
  });
});
