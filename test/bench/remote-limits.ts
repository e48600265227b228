/** Joins of many rows, starts with remote schemas that do not answer, and large remote schemas. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { compile } from '../../compiler/index.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { createSchemaReader } from '../../runtime/outgoing/remote/introspect.ts';
import { freePort } from '../harness/free-port.ts';
import { fetchOnce, type LoadRequest } from './load.ts';
import { buildPackage, startProcess, stopProcess } from './processes.ts';
import { type RemoteStage, ROWS } from './remote-project.ts';
import { median } from './results.ts';
import { firstAnswer } from './starting.ts';

/** One figure with what it should be. */
export interface RemoteFigure {
  readonly goal: string;
  readonly measure: string;
  readonly wanted: string;
  readonly measured: string;
  readonly holds: boolean;
}

const CALLS = 15;
const STARTS = 5;
const BLACK_HOLES = 10;
const TYPES = 5000;

export const graphql = (query: string, path = '/v1/graphql'): LoadRequest => ({
  path,
  headers: { 'x-engine-role': 'user', 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
});

/** A figure that must not be above a limit. */
export function atMost(
  goal: string,
  measure: string,
  limit: number,
  found: number,
  digits: number,
): RemoteFigure {
  const [wanted, measured] = [`≤ ${limit.toFixed(digits)}`, found.toFixed(digits)];
  return { goal, measure, wanted, measured, holds: found <= limit };
}

/** Milliseconds of each request, sent in turn, one after another: the medians. */
export async function timesOf(
  requests: readonly { readonly port: number; readonly request: LoadRequest }[],
): Promise<number[]> {
  const times = requests.map((): number[] => []);
  for (let call = 0; call <= CALLS; call += 1) {
    for (const [index, { port, request }] of requests.entries()) {
      const begin = performance.now();
      await fetchOnce(port, request);
      // The first call opens connections and plans.
      if (call > 0) times[index]!.push(performance.now() - begin);
    }
  }
  return times.map(median);
}

/** D-6: every row has a value of its own. */
export async function measureManyRows({ engine }: RemoteStage): Promise<RemoteFigure[]> {
  const request = graphql('{ event { id note label } }');
  const { resident } = await engine.state();
  const rows = Buffer.byteLength(await fetchOnce(engine.port, graphql('{ event { id note } }')));
  const { peak: ofRows } = await engine.state();
  const size = Buffer.byteLength(await fetchOnce(engine.port, request));
  const { peak } = await engine.state();
  for (let call = 0; call < 5; call += 1) await fetchOnce(engine.port, request);
  const { stall } = await engine.state();
  const name = `${ROWS} rows joined to a server`;
  return [
    atMost('D-6', `${name}: longest stall of the event loop, ms`, 50, stall, 0),
    atMost(
      'D-6',
      `${name}: memory in sizes of the answer (the rows alone: ${((ofRows - resident) / rows).toFixed(1)})`,
      3,
      (peak - resident) / size,
      1,
    ),
  ];
}

/** D-7: a table of another database. */
export async function measureTables({ engine, floor }: RemoteStage): Promise<RemoteFigure[]> {
  const query = '{ event(order_by: { id: asc }) { id product { code name } } }';
  const ours = { port: engine.port, request: graphql(query) };
  const byHand = { port: floor.port, request: graphql(query, '/tables') };
  const [answer, expected] = await Promise.all([
    fetchOnce(ours.port, ours.request),
    fetchOnce(byHand.port, byHand.request),
  ]);
  if (JSON.stringify(JSON.parse(answer)) !== expected) throw new Error('the answers of D-7 differ');
  const [time, floorTime] = (await timesOf([ours, byHand])) as [number, number];
  const name = `${ROWS} rows joined to another database: ${time.toFixed(0)} ms beside ${floorTime.toFixed(0)} by hand`;
  return [atMost('D-7', name, 1.3, time / floorTime, 2)];
}

/** D-5: the built server, from the start of the process to the first answer of local data. */
export async function measureStarts(
  { createDatabase }: RemoteStage,
  progress: (text: string) => void,
): Promise<RemoteFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const remotes = await startBlackHoles();
  try {
    progress('building the package');
    const engine = buildPackage(folder);
    const environment = {
      ENGINE_GRAPHQL_DATABASE_URL: await createDatabase('local'),
      ENGINE_GRAPHQL_METADATA_DATABASE_URL: await createDatabase('remote_metadata'),
      ENGINE_GRAPHQL_SERVER_PORT: String(await freePort()),
    };
    const address = `http://127.0.0.1:${environment.ENGINE_GRAPHQL_SERVER_PORT}`;
    const start = async (use: () => Promise<unknown>) => {
      const begin = performance.now();
      const child = startProcess([engine, 'serve'], environment);
      try {
        await firstAnswer(child, address, '{"query":"{ __typename }"}', {});
        const time = performance.now() - begin;
        await use();
        return time;
      } finally {
        await stopProcess(child);
      }
    };
    await start(async () => {
      const bulk = { type: 'bulk', args: remotes.addresses.map(addRemote) };
      const answer = await fetch(`${address}/v1/metadata`, { method: 'POST', body: JSON.stringify(bulk) });
      if (!answer.ok) throw new Error(await answer.text());
    });
    const times = { up: [] as number[], down: [] as number[] };
    for (let round = 1; round <= STARTS; round += 1) {
      progress(`${BLACK_HOLES} remote schemas: start ${round} of ${STARTS}`);
      for (const state of ['up', 'down'] as const) {
        remotes.set(state);
        times[state].push(await start(async () => {}));
      }
    }
    const [up, down] = [median(times.up), median(times.down)];
    const name = `first answer with ${BLACK_HOLES} remote schemas that do not answer, ms beside ${up.toFixed(0)}`;
    return [atMost('D-5', name, up + 5, down, 0)];
  } finally {
    remotes.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function addRemote(url: string, index: number): object {
  return { type: 'add_remote_schema', args: { name: `remote_${index}`, definition: { url } } };
}

/** Servers that answer introspections, or nothing at all. */
async function startBlackHoles() {
  let state: 'up' | 'down' = 'up';
  const servers = Array.from({ length: BLACK_HOLES }, (_, index) => {
    const text = introspectionOf(`type Query { field_${index}: T_${index} } type T_${index} { a: Int }`);
    return createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        if (state === 'up') answerJson(response, text);
      });
    });
  });
  const addresses = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
    }),
  );
  return {
    addresses,
    set: (next: 'up' | 'down') => {
      state = next;
    },
    stop: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function answerJson(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

function introspectionOf(sdl: string): string {
  return JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) });
}

/** D-8: a schema of many types, read again, and compiled from its lock. */
export async function measureLargeSchema(): Promise<RemoteFigure[]> {
  const text = introspectionOf(largeSchema());
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answerJson(response, text));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const outgoing = createOutgoing();
  try {
    const read = createSchemaReader({ vocabulary: CANONICAL, outgoing, environment: {} });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sdl = await read('large', { url, timeout: 60 });
    const refreshes: number[] = [];
    const receipts: number[] = [];
    const loads: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      receipts.push(await cpuOf(() => outgoing.send({ url, timeout: 60_000, body: '{}' })));
      refreshes.push(await cpuOf(() => read('large', { url, timeout: 60 })));
      const definition = { url: `http://127.0.0.1:${round + 1}/` };
      const { value: metadata } = readMetadata({
        version: 3,
        sources: [],
        remote_schemas: [{ name: 'large', definition }],
      });
      const compiled = () => compile({ metadata, catalogs: {}, remotes: { large: { sdl } } }).programFiles;
      loads.push(await cpuOf(async () => compiled()));
    }
    const size = `${TYPES} types, ${(text.length / 1e6).toFixed(1)} MB`;
    const extra = median(refreshes) - median(receipts);
    return [
      atMost('D-8', `unchanged schema read again (${size}): CPU ms besides receiving it`, 10, extra, 1),
      atMost('D-8', `schema of ${TYPES} types compiled from its lock: CPU ms`, 150, median(loads), 0),
    ];
  } finally {
    await outgoing.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Milliseconds of user and system time. */
async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function largeSchema(): string {
  const roots = Array.from({ length: 50 }, (_, n) => `  t${n}(id: ID!, first: Int = 10): T${n}`);
  const types = Array.from(
    { length: TYPES },
    (_, n) => `"Type ${n}."
type T${n} {
  id: ID!
  name: String
  count: Int!
  next: T${(n + 1) % TYPES}
  list(first: Int, after: String): [T${(n * 7) % TYPES}!]!
}`,
  );
  return `type Query {\n${roots.join('\n')}\n}\n${types.join('\n')}\n`;
}
