/** Actions: our server beside a proxy written by hand, calls that hang, and the way of an asynchronous call to its handler. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { compile } from '../../compiler/index.ts';
import { readDatabase } from '../../runtime/catalog/index.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { fetchOnce, generateLoad } from './load.ts';
import { alignedTable, median, percentile, ratioOf, type Summary, summaryOf } from './results.ts';
import { type BenchOptions, checkAnswers, graphqlRequests, measureRounds } from './rounds.ts';

export interface ActionResult {
  readonly throughput: readonly {
    readonly connections: number;
    /** Requests per second in relation to the proxy's. */
    readonly ratio: number;
    readonly engine: Summary;
    readonly proxy: Summary;
  }[];
  /** Milliseconds (p99) of an introspection query, alone and while calls of a hanging handler wait. */
  readonly hanging: { readonly calls: number; readonly before: number; readonly during: number };
  /** Milliseconds from the client's mutation to the handler (p50, p99). */
  readonly enqueue: { readonly p50: number; readonly p99: number };
}

const HEADERS = { 'x-engine-role': 'user', 'content-type': 'application/json' };
const WARM_UP = 2;
/** Fewer than `max-concurrent-requests`, of which calls that hang are a part. */
const HANGING = 900;
const ENQUEUED = 200;

const bench: BenchCase = {
  name: 'echo',
  query: 'query ($n: Int!) { echo(n: $n) { n items { id name } } }',
  requests: Array.from({ length: 8 }, (_, n) => ({ headers: HEADERS, variables: { n } })),
};

function metadataFor(handler: string): object {
  const action = (name: string, definition: object) => ({
    name,
    definition: { output_type: 'Echo', arguments: [{ name: 'n', type: 'Int!' }], ...definition },
    permissions: [{ role: 'user' }],
  });
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [],
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Echo',
          fields: [
            { name: 'n', type: 'Int!' },
            { name: 'at', type: 'Float' },
            { name: 'items', type: '[Item!]!' },
          ],
        },
        {
          name: 'Item',
          fields: [
            { name: 'id', type: 'Int!' },
            { name: 'name', type: 'String!' },
          ],
        },
      ],
    },
    actions: [
      action('echo', { type: 'query', handler: `${handler}/echo` }),
      action('hang', { type: 'query', handler: `${handler}/hang` }),
      action('job', { kind: 'asynchronous', handler: `${handler}/echo` }),
    ],
  };
}

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchActions(options: BenchOptions): Promise<ActionResult> {
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const started: MeasuredServer[] = [];
  const start = async (file: string, given: object) => {
    const server = await startMeasured(file, given);
    started.push(server);
    return server;
  };
  try {
    const databaseUrl = await postgres.createDatabase('actions');
    const handler = `http://127.0.0.1:${(await start('handler.ts', {})).port}`;
    const catalogs = { default: await readDatabase({ connectionString: databaseUrl }, []) };
    writeFolder(directory, compile({ metadata: readMetadata(metadataFor(handler)).value, catalogs }).files);
    const proxy = await start('action-floor.ts', { handler });
    const engine = await start('engine.ts', {
      directory,
      databaseUrl,
      metadataDatabaseUrl: databaseUrl,
    });
    return {
      throughput: await measureThroughput(engine, proxy, options),
      hanging: await measureHanging(engine, options),
      enqueue: await measureEnqueue(engine, options),
    };
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureThroughput(
  engine: MeasuredServer,
  proxy: MeasuredServer,
  options: BenchOptions,
): Promise<ActionResult['throughput']> {
  const requests = graphqlRequests(bench, '/v1/graphql');
  const contestants = { engine: { server: engine, requests }, proxy: { server: proxy, requests } };
  const expected = await checkAnswers(bench, contestants);
  const results: ActionResult['throughput'][number][] = [];
  for (const connections of options.connections) {
    const rounds = await measureRounds(bench, contestants, expected, connections, WARM_UP, options);
    const ratio = ratioOf(rounds.engine, rounds.proxy);
    results.push({ connections, ratio, engine: summaryOf(rounds.engine), proxy: summaryOf(rounds.proxy) });
  }
  return results;
}

const graphql = (query: string) => ({
  path: '/v1/graphql',
  headers: HEADERS,
  body: JSON.stringify({ query }),
});

async function measureHanging(
  { port }: MeasuredServer,
  { seconds, progress }: BenchOptions,
): Promise<ActionResult['hanging']> {
  progress(`${HANGING} calls of a handler that hangs`);
  const other = graphql('{ __typename }');
  const length = Buffer.byteLength(await fetchOnce(port, other));
  const p99 = async () => {
    const { latencies } = await generateLoad(port, [other], [length], 4, seconds * 3);
    return percentile(
      [...latencies].sort((left, right) => left - right),
      0.99,
    );
  };
  await p99();
  const before = await p99();
  const leave = new AbortController();
  const calls = Array.from({ length: HANGING }, () =>
    fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: HEADERS,
      body: graphql('{ hang(n: 1) { n } }').body,
      signal: leave.signal,
    }).catch(() => {}),
  );
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const during = await p99();
  leave.abort();
  await Promise.all(calls);
  return { calls: HANGING, before, during };
}

async function measureEnqueue(
  { port }: MeasuredServer,
  { progress }: BenchOptions,
): Promise<ActionResult['enqueue']> {
  progress(`${ENQUEUED} asynchronous calls`);
  const ask = async (query: string) => {
    const text = await fetchOnce(port, graphql(query));
    const { data } = JSON.parse(text) as { readonly data?: { readonly job: unknown } };
    if (!data) throw new Error(`${query}: ${text}`);
    return data;
  };
  const begun: { readonly id: string; readonly at: number }[] = [];
  for (let n = 0; n < ENQUEUED; n += 1) {
    const at = Date.now();
    begun.push({ id: (await ask(`mutation { job(n: ${n}) }`)).job as string, at });
  }
  const delays: number[] = [];
  for (const { id, at } of begun) {
    for (;;) {
      const { output } = (await ask(`{ job(id: "${id}") { output { at } } }`)).job as {
        readonly output: { readonly at: number } | null;
      };
      if (output) {
        delays.push(output.at - at);
        break;
      }
    }
  }
  delays.sort((left, right) => left - right);
  return { p50: median(delays), p99: percentile(delays, 0.99) };
}

/** The results as aligned lines. */
export function actionTable({ throughput, hanging, enqueue }: ActionResult): string {
  const header = ['conn', 'req/s', 'p99 ms', 'CPU µs', 'proxy', 'p99 ms', 'CPU µs', 'ratio'];
  const rows = throughput.map(({ connections, ratio, engine, proxy }) => [
    String(connections),
    ...[engine, proxy].flatMap(({ requestsPerSecond, p99, cpuPerRequest }) => [
      requestsPerSecond.toFixed(0),
      p99.toFixed(1),
      cpuPerRequest.toFixed(0),
    ]),
    ratio.toFixed(2),
  ]);
  return `${alignedTable([header, ...rows])}

while ${hanging.calls} calls hang: p99 of other requests ${hanging.during.toFixed(1)} ms, before ${hanging.before.toFixed(1)} ms
asynchronous: from the mutation to the handler p50 ${enqueue.p50} ms, p99 ${enqueue.p99} ms`;
}
