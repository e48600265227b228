/** What Prometheus gets after traffic of every kind, on a real server. */
import { readFileSync } from 'node:fs';
import { Counter, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportOf } from '../../../runtime/observe/metrics/report.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';
import { startWebhook, type WebhookReceiver } from '../../harness/webhook.ts';

let server: TestServer;
let webhook: WebhookReceiver;
let remote: RemoteServer;

const OPTIONS = { ENABLED_APIS: 'graphql,metadata,metrics,developer', EVENTS_FETCH_INTERVAL: '100' };

async function metadata(type: string, args: object): Promise<void> {
  const { json } = await send(server, '/v1/metadata', { body: { type, args } });
  expect(json, type).not.toHaveProperty('error');
}

const graphql = (query: string) => send(server, '/v1/graphql', { body: { query } });

async function scrape(): Promise<string> {
  const { status, text } = await send(server, '/v1/metrics', { method: 'GET' });
  expect(status).toBe(200);
  return text;
}

/** Values by name and labels. */
async function values(): Promise<ReadonlyMap<string, number>> {
  const lines = (await scrape()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice('engine_'.length, end), Number(line.slice(end + 1))];
    }),
  );
}

const reaches = (line: string, expected: number) =>
  expect.poll(async () => (await values()).get(line)).toBe(expected);

beforeAll(async () => {
  webhook = await startWebhook((call, response) => {
    response.statusCode = call.path === '/fails' ? 500 : 200;
    response.end('{"ok": true}');
  });
  remote = await startRemoteServer('type Query { hello: String }', { hello: 'world' });
  server = await serve({ sql: 'create table item (id integer primary key, name text)', options: OPTIONS });
  await metadata('pg_track_table', { table: 'item' });
});

afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  await remote?.stop();
});

test('the version of the metadata, inconsistent objects, and the health of sources', async () => {
  const before = await values();
  expect(before.get('inconsistent_objects')).toBe(0);
  const other = await createTestDatabase();
  const configuration = { connection_info: { database_url: other.url } };
  await metadata('pg_add_source', { name: 'away', configuration });
  const after = await values();
  expect(after.get('metadata_resource_version')).toBe(before.get('metadata_resource_version')! + 1);
  expect(after.get('metadata_swaps_total')).toBe(before.get('metadata_swaps_total')! + 1);
  await reaches('source_health{source_name="default"}', 0);
  await reaches('source_health{source_name="away"}', 0);
  await server.database.query(`drop database "${new URL(other.url).pathname.slice(1)}" with (force)`);
  await reaches('source_health{source_name="away"}', 2);
  await metadata('reload_metadata', { reload_sources: true });
  expect((await values()).get('inconsistent_objects')).toBe(1);
  await metadata('pg_drop_source', { name: 'away' });
  expect(
    [...(await values()).keys()].filter((key) => key.includes('away') && key.includes('health')),
  ).toEqual([]);
});

test('events: what was fetched, called, delivered and given up, and how long it took', async () => {
  for (const name of ['good', 'fails'])
    await metadata('pg_create_event_trigger', {
      name,
      table: 'item',
      webhook: `${webhook.url}/${name}`,
      insert: { columns: '*' },
      retry_conf: { num_retries: 1, interval_sec: 0 },
    });
  await graphql('mutation { insert_item_one(object: { id: 1 }) { id } }');
  const labels = (name: string) => `trigger_name="${name}",source_name="default"`;
  await reaches(`event_processed_total{status="success",${labels('good')}}`, 1);
  await reaches(`event_processed_total{status="failed",${labels('fails')}}`, 1);
  const found = await values();
  expect(found.get(`event_invocation_total{status="success",${labels('good')}}`)).toBe(1);
  expect(found.get(`event_invocation_total{status="failed",${labels('fails')}}`)).toBe(2);
  expect(found.get('events_fetched_total{source_name="default"}')).toBe(3);
  expect(found.has('events_fetched_per_batch')).toBe(true);
  await reaches('event_trigger_http_workers', 0);
  for (const name of [
    'event_queue_time_seconds',
    'event_webhook_processing_time_seconds',
    'event_processing_time_seconds',
  ]) {
    expect(found.get(`${name}_count{${labels('fails')}}`)).toBe(2);
    expect(found.get(`${name}_sum{${labels('fails')}}`)).toBeGreaterThan(0);
  }
  expect(found.get('event_fetch_time_per_batch_seconds_count')).toBeGreaterThan(0);
  expect(
    found.get('events_fetch_query_time_seconds_count{status="success",source_name="default"}'),
  ).toBeGreaterThan(0);
});

test('one-off and cron events', async () => {
  const due = { schedule_at: '2020-01-01T00:00:00Z', retry_conf: { tolerance_seconds: 1e9 } };
  await metadata('create_scheduled_event', { webhook: webhook.url, ...due });
  await metadata('create_scheduled_event', { webhook: `${webhook.url}/fails`, ...due });
  await reaches('oneoff_events_processed_total{status="success"}', 1);
  await reaches('oneoff_events_processed_total{status="failed"}', 1);
  await metadata('create_cron_trigger', {
    name: 'daily',
    webhook: webhook.url,
    schedule: '0 0 1 1 *',
    include_in_metadata: true,
  });
  await server.database.query(
    `insert into engine_catalog.cron_events (trigger_name, scheduled_time, status) values ('daily', now(), 'scheduled')`,
  );
  await reaches('cron_events_invocation_total{status="success"}', 1);
  await reaches('cron_events_processed_total{status="success"}', 1);
});

test('sockets, live queries and streams', async () => {
  const client = await connect(server);
  client.send({ type: 'subscribe', id: 'a', payload: { query: 'subscription { item { id } }' } });
  const stream = 'subscription { item_stream(batch_size: 2, cursor: { initial_value: { id: 0 } }) { id } }';
  client.send({ type: 'subscribe', id: 'b', payload: { query: stream } });
  await client.next();
  await client.next();
  // A read ends after its results are sent.
  const isRead = async () => {
    const counts = [...(await values()).keys()].filter((key) =>
      key.startsWith('subscription_total_time_seconds_count'),
    );
    return counts.length;
  };
  await expect.poll(isRead).toBe(2);
  const open = await values();
  for (const kind of ['live-query', 'streaming']) {
    expect(open.get(`active_subscriptions{subscription_kind="${kind}"}`)).toBe(1);
    expect(open.get(`active_subscription_pollers{subscription_kind="${kind}"}`)).toBe(1);
    expect(open.get(`active_subscription_pollers_in_error_state{subscription_kind="${kind}"}`)).toBe(0);
    expect(open.get(`subscription_total_time_seconds_count{subscription_kind="${kind}"}`)).toBeGreaterThan(0);
    expect(
      open.get(`subscription_db_execution_time_seconds_count{subscription_kind="${kind}"}`),
    ).toBeGreaterThan(0);
  }
  expect(open.get('websocket_connections')).toBe(1);
  expect(open.get('websocket_messages_received_bytes_total')).toBeGreaterThan(100);
  expect(open.get('websocket_messages_sent_bytes_total')).toBeGreaterThan(100);
  await server.database.query('alter table item rename to item_away');
  await reaches('active_subscription_pollers_in_error_state{subscription_kind="live-query"}', 1);
  await server.database.query('alter table item_away rename to item');
  await reaches('active_subscription_pollers_in_error_state{subscription_kind="live-query"}', 0);
  await client.close();
  await reaches('websocket_connections', 0);
  await reaches('active_subscriptions{subscription_kind="live-query"}', 0);
});

test('calls of actions and of remote schemas', async () => {
  await metadata('add_remote_schema', { name: 'remote', definition: { url: remote.url } });
  await metadata('set_custom_types', {
    objects: [{ name: 'Outcome', fields: [{ name: 'ok', type: 'Boolean' }] }],
  });
  await metadata('create_action', {
    name: 'act',
    definition: { kind: 'synchronous', type: 'query', handler: webhook.url, output_type: 'Outcome' },
  });
  expect((await graphql('{ act { ok } hello }')).json).toEqual({
    data: { act: { ok: true }, hello: 'world' },
  });
  const found = await values();
  expect(found.get('action_requests_total{action_name="act",status="2xx"}')).toBe(1);
  expect(found.get('action_duration_seconds_count{action_name="act"}')).toBe(1);
  expect(found.get('remote_schema_requests_total{remote_schema_name="remote",status="2xx"}')).toBe(1);
  expect(found.get('remote_schema_duration_seconds_count{remote_schema_name="remote"}')).toBe(1);
});

/** Figures as `/dev/ekg` lists them. */
type Figures = Record<string, { type: string; values: { labels?: object; [value: string]: unknown }[] }>;

const figures = (at: TestServer, headers = {}) => send(at, '/dev/ekg', { method: 'GET', headers });

test('saved operations are timed while they are served', async () => {
  const query = 'query names { item { name } }';
  await metadata('create_query_collection', {
    name: 'timed',
    definition: { queries: [{ name: 'names', query }] },
  });
  const endpoint = { name: 'names', url: 'names', methods: ['GET'] };
  const definition = { query: { collection_name: 'timed', query_name: 'names' } };
  await metadata('create_rest_endpoint', { ...endpoint, definition });
  expect((await send(server, '/api/rest/names', { method: 'GET' })).status).toBe(200);
  const count = 'saved_operation_time_seconds_count{collection_name="timed",operation_name="names"}';
  await reaches(count, 1);
  // Another change leaves them.
  await metadata('pg_set_table_customization', { table: 'item', configuration: { comment: 'timed' } });
  await reaches(count, 1);
  await metadata('drop_rest_endpoint', { name: 'names' });
  await metadata('drop_query_collection', { collection: 'timed', cascade: false });
  await expect.poll(scrape).not.toContain('collection_name="timed"');
});

test('/dev/ekg has the same figures as JSON, for administrators', async () => {
  const found = (await figures(server)).json as Figures;
  const text = await scrape();
  expect(Object.keys(found).sort()).toEqual(
    [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).sort(),
  );
  expect(found.engine_action_requests_total).toMatchObject({
    type: 'counter',
    values: [{ labels: { action_name: 'act', status: '2xx' }, value: 1 }],
  });
  expect(found.engine_websocket_connections).toMatchObject({ type: 'gauge', values: [{ value: 0 }] });
  const printed = await values();
  const { values: durations } = found.engine_event_processing_time_seconds!;
  expect(durations).toHaveLength(2);
  for (const name of ['good', 'fails']) {
    const labels = `{trigger_name="${name}",source_name="default"}`;
    expect(durations).toContainEqual({
      labels: { trigger_name: name, source_name: 'default' },
      count: printed.get(`event_processing_time_seconds_count${labels}`),
      sum: printed.get(`event_processing_time_seconds_sum${labels}`),
    });
  }
  const denied = await figures(server, { 'x-engine-role': 'user' });
  expect([denied.status, denied.json]).toEqual([400, expect.objectContaining({ code: 'access-denied' })]);
});

test.each([
  ['developer', 200, 404],
  ['metrics', 404, 200],
])('with the API %s alone, the other address is not there', async (api, ekg, prometheus) => {
  const other = await serve({ options: { ENABLED_APIS: `graphql,${api}` } });
  try {
    expect((await figures(other)).status).toBe(ekg);
    expect((await send(other, '/v1/metrics', { method: 'GET' })).status).toBe(prometheus);
  } finally {
    await other.stop();
  }
});

test('at most 1,000 values of a metric are listed', async () => {
  const registry = new Registry();
  const counter = new Counter({ name: 'many', help: 'text', labelNames: ['of'], registers: [registry] });
  for (let index = 0; index < 1002; index += 1) counter.inc({ of: String(index) });
  const { many } = await reportOf(registry);
  expect([many!.values.length, many!.left_out]).toEqual([1000, 2]);
});

test('docs/metrics.md names every metric that is served, with the labels and no other one', async () => {
  const text = await scrape();
  const served = [...text.matchAll(/^# TYPE engine_(\S+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => !/^(process|nodejs)_/.test(name))
    .sort();
  const table = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = table.split('\n').filter((line) => line.startsWith('| `engine_'));
  const documented = rows
    .flatMap((row) => [...row.split('|')[1]!.matchAll(/`engine_(\w+)`/g)].map(([, name]) => name!))
    .sort();
  expect(documented).toEqual(served);
  const used = new Set(
    [...text.matchAll(/^engine_\w+\{(.*)\} /gm)].flatMap(([, labels]) =>
      [...labels!.matchAll(/(\w+)="/g)].map(([, label]) => label!),
    ),
  );
  for (const label of ['le', 'version', 'major', 'minor', 'patch', 'type', 'kind', 'space'])
    used.delete(label);
  expect([...used].filter((label) => !table.includes(`\`${label}\``))).toEqual([]);
});

test('the dashboard asks for metrics and labels that are served', async () => {
  const text = await scrape();
  const served = new Map<string, string>();
  for (const [, name, labels] of text.matchAll(/^(engine_\w+?)(?:\{(.*)\})? /gm))
    served.set(name!, `${served.get(name!) ?? ''} ${labels ?? ''}`);
  const dashboard = JSON.parse(
    readFileSync(new URL('../../../examples/deploy/grafana.json', import.meta.url), 'utf8'),
  ) as { panels: readonly { targets: readonly { expr: string; legendFormat: string }[] }[] };
  const targets = dashboard.panels.flatMap((panel) => panel.targets);
  expect(targets.length).toBeGreaterThan(15);
  for (const { expr, legendFormat } of targets) {
    const names = expr.match(/engine_\w+/g)!;
    expect(names.filter((name) => !served.has(name))).toEqual([]);
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
    const own = labels.filter((label) => label !== 'instance');
    expect(own.filter((label) => !served.get(names[0]!)!.includes(`${label}="`))).toEqual([]);
  }
});
