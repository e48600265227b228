/** Every operation of docs/metadata-api.md has an example, whose request is sent to a server and whose answer is the one that it gives. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { operations } from '../../runtime/metadata-api/request/registry.ts';
import {
  answersFile,
  argumentsOf,
  type Request,
  readRequests,
  shownRequests,
} from '../../scripts/docs/metadata-api.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

let server: TestServer;
let webhook: WebhookReceiver;
let remote: RemoteServer;
/** Texts of this run, and what the reference has in their place. */
let addresses: readonly (readonly [string, string])[];
const kept = new Map<string, string>();
const recorded = parse(readFileSync(answersFile, 'utf8')) as Record<string, unknown>;
const answers: Record<string, unknown> = {};

beforeAll(async () => {
  const [database, reports] = [await createTestDatabase(), await createTestDatabase()];
  webhook = await startWebhook();
  remote = await startRemoteServer(
    'type Query { place(name: String): Place } type Place { name: String }',
    {},
  );
  const variables = { HOOKS: webhook.url, WEATHER: remote.url, REPORTS_DATABASE_URL: reports.url };
  server = await startTestServer(
    database,
    {
      EVENTS_FETCH_INTERVAL: '100',
      INFER_FUNCTION_PERMISSIONS: 'false',
      ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
    },
    variables,
  );
  addresses = [
    [database.url, 'postgres://engine@db.example/shop'],
    [reports.url, 'postgres://engine@db.example/reports'],
    [webhook.url, 'https://hooks.example'],
    [remote.url, 'https://weather.example/graphql'],
  ];
});

afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  await remote?.stop();
  if (process.env.ENGINE_UPDATE) writeFileSync(answersFile, stringify(answers));
});

/** What differs from run to run replaced by what the reference shows. */
function lasting(answer: unknown): unknown {
  let text = JSON.stringify(answer);
  for (const [address, shown] of addresses) text = text.replaceAll(address, shown);
  for (const [name, value] of kept) text = text.replaceAll(value, `$${name}`);
  text = text
    .replaceAll(/"\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?)?"/g, '"2026-01-01T00:00:00Z"')
    .replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"…"')
    .replaceAll(/"(?:trace|span)_id":"[0-9a-f]+"/g, (found) => found.replace(/:"[0-9a-f]+"/, ':"…"'))
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'Thu, 01 Jan 2026 00:00:00 GMT')
    .replaceAll(/engine\/[\w.-]+/g, 'engine/…');
  return JSON.parse(text);
}

async function ask({
  send: body,
  to = '/v1/metadata',
  until,
}: Request): Promise<{ status: number; json: unknown }> {
  let text = JSON.stringify(body);
  for (const [name, value] of kept) text = text.replaceAll(`$${name}`, value);
  if (until === undefined) return send(server, to, { body: text });
  let answer = await send(server, to, { body: text });
  await expect
    .poll(
      async () => {
        answer = await send(server, to, { body: text });
        return answer.text;
      },
      { timeout: 30_000, interval: 50 },
    )
    .toContain(until);
  return answer;
}

describe('requests of the reference', () => {
  test('are there for every operation', () => {
    expect(operations.map(({ name }) => name).filter((name) => !shownRequests().has(name))).toEqual([]);
  });

  test('have a meaning for every argument', () => {
    const silent = operations.flatMap((operation) =>
      argumentsOf(operation)
        .flat()
        .filter(({ meaning }) => meaning === undefined)
        .map(({ key }) => `${operation.name}.${key}`),
    );
    expect(silent).toEqual([]);
  });

  test.each(readRequests().map((request) => ({ ...request, title: titleOf(request) })))(
    '$title',
    async (request) => {
      const { status, json } = await ask(request);
      if (status !== 200) throw new Error(JSON.stringify(json));
      for (const [name, steps] of Object.entries(request.keep ?? {})) {
        const value = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], json);
        kept.set(name, String(value));
      }
      if (request.setup) return;
      const answer = request.show ? shown(json, request.show) : lasting(json);
      answers[request.title] ??= answer;
      if (!process.env.ENGINE_UPDATE) expect(answer).toEqual(recorded[request.title]);
    },
  );
});

function titleOf({ send: body }: Request): string {
  return body.type;
}

/** The keys of an answer that the reference shows. */
function shown(answer: unknown, keys: readonly string[]): unknown {
  const found = Object.entries(answer as object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(found);
}
