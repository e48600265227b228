/** Actions: our server beside a proxy written by hand, calls that hang, and the way of an asynchronous call to its handler. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { compile } from '../../compiler/index.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { type GoalFigure, HEADERS, measureGoals, withDatabase } from './acting-goals.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { fetchOnce, generateLoad } from './load.ts';
import { alignedTable, percentile, ratioOf, type Summary, summaryOf } from './results.ts';
import { type BenchOptions, checkAnswers, graphqlRequests, measureRounds } from './rounds.ts';

export interface ActionResult {
  readonly throughput: readonly {
    readonly connections: number;
    /** Requests per second in relation to the proxy's. */
    readonly ratio: number;
    readonly engine: Summary;
    readonly proxy: Summary;
  }[];
  readonly goals: readonly GoalFigure[];
}

/** Seconds: what is compiled late takes most of the time before. */
const WARM_UP = 4;

/** Connections of the half load. */
const HALF_LOAD = 16;

const SCHEMA = `create table owner (id int primary key, name text not null);
  create table item (id int primary key, name text not null, owner_id int not null references owner);
  insert into owner select i, 'owner ' || i from generate_series(1, 10) as i;
  insert into item select i, 'item ' || i, 1 + i % 10 from generate_series(1, 100) as i; analyze;`;

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
        tables: [
          {
            table: 'item',
            object_relationships: [{ name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } }],
            select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
          },
          {
            table: 'owner',
            select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
          },
        ],
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
        {
          name: 'Row',
          fields: [{ name: 'id', type: 'Int!' }],
          relationships: [
            { name: 'item', type: 'object', remote_table: 'item', field_mapping: { id: 'id' } },
          ],
        },
      ],
    },
    actions: [
      action('echo', { type: 'query', handler: `${handler}/echo` }),
      action('hang', { type: 'query', handler: `${handler}/hang`, timeout: 300 }),
      action('drip', { type: 'query', handler: `${handler}/drip`, timeout: 1 }),
      action('large', { type: 'query', handler: `${handler}/large` }),
      action('rows', { type: 'query', handler: `${handler}/rows`, output_type: '[Row!]!' }),
      action('job', { kind: 'asynchronous', handler: `${handler}/echo` }),
      action('slow_job', { kind: 'asynchronous', handler: `${handler}/slow` }),
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
    await withDatabase(databaseUrl, (database) => database.query(SCHEMA));
    const handler = await start('handler.ts', {});
    const address = `http://127.0.0.1:${handler.port}`;
    const tables = ['item', 'owner'].map((name) => ({ schema: 'public', name }));
    const catalogs = { default: await readDatabase({ connectionString: databaseUrl }, tables) };
    writeFolder(directory, compile({ metadata: readMetadata(metadataFor(address)).value, catalogs }).files);
    const proxy = await start('action-floor.ts', { handler: address });
    const engineOptions = { directory, databaseUrl, metadataDatabaseUrl: databaseUrl };
    const engine = await start('engine.ts', engineOptions);
    return {
      throughput: await measureThroughput(engine, proxy, options),
      goals: [
        await measureHalfLoad(engine, proxy, options),
        ...(await measureGoals({
          engine,
          handler,
          databaseUrl,
          another: () => startMeasured('engine.ts', engineOptions),
          progress: options.progress,
        })),
      ],
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

/** What a call takes longer than one of the proxy while both get half of the requests that ours can answer. */
async function measureHalfLoad(
  engine: MeasuredServer,
  proxy: MeasuredServer,
  { progress }: BenchOptions,
): Promise<GoalFigure> {
  progress('C-1: half load');
  const requests = graphqlRequests(bench, '/v1/graphql');
  const lengths: number[] = [];
  for (const request of requests) lengths.push(Buffer.byteLength(await fetchOnce(engine.port, request)));
  const full = await generateLoad(engine.port, requests, lengths, HALF_LOAD, 2);
  const pace = (HALF_LOAD * 2 * full.seconds * 1000) / full.requests;
  const latencies: Record<'engine' | 'proxy', number[]> = { engine: [], proxy: [] };
  for (let round = 0; round < 5; round += 1)
    for (const [name, { port }] of [
      ['engine', engine],
      ['proxy', proxy],
    ] as const)
      latencies[name].push(...(await generateLoad(port, requests, lengths, HALF_LOAD, 1, pace)).latencies);
  const p99 = (name: 'engine' | 'proxy') =>
    percentile(
      latencies[name].sort((left, right) => left - right),
      0.99,
    );
  const [ours, floor] = [p99('engine'), p99('proxy')];
  return {
    id: 'C-1',
    what: `p99 at half load (${((1000 / pace) * HALF_LOAD).toFixed(0)}/s), proxy's`,
    figure: `${ours.toFixed(1)} ms, ${floor.toFixed(1)} ms`,
    goal: '≤ 1 ms more',
  };
}

/** The results as aligned lines. */
export function actionTable({ throughput, goals }: ActionResult): string {
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

C-1: ratio, goal ≥ 0.85

${goals.map(({ id, what, figure, goal }) => `${id.padEnd(5)} ${what}: ${figure} (goal: ${goal})`).join('\n')}`;
}
