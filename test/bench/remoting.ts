/** `npm run bench -- remote`: remote schemas and joins, beside servers written by hand and other gateways. */
import type { BenchCase } from './cases.ts';
import { type GatewayOptions, installGateways } from './gateways.ts';
import { fetchOnce } from './load.ts';
import {
  atMost,
  graphql,
  measureLargeSchema,
  measureManyRows,
  measureStarts,
  measureTables,
  type RemoteFigure,
  timesOf,
} from './remote-limits.ts';
import { addressOf, type RemoteStage, ROWS, SLOW, withRemoteStage } from './remote-project.ts';
import { alignedTable, ratioOf, type Summary, summaryOf } from './results.ts';
import {
  type BenchOptions,
  type Contestants,
  checkAnswers,
  graphqlRequests,
  measureRounds,
} from './rounds.ts';

/** Requests per second of one server. */
interface Load extends Summary {
  readonly case: string;
  readonly server: string;
  readonly connections: number;
  /** Ours in relation to its. */
  readonly ratio: number;
}

export interface RemoteResult {
  readonly loads: readonly Load[];
  readonly figures: readonly RemoteFigure[];
}

const HEADERS = { 'x-engine-role': 'user', 'content-type': 'application/json' };
/** Seconds; other gateways compile what they run for longer. */
const WARM_UP = 2;

const pages = Array.from({ length: 8 }, (_, page) => ({ headers: HEADERS, variables: { page } }));
const one: BenchCase = {
  name: 'one root field',
  query: 'query ($page: Int!) { users(page: $page) { id name email } }',
  requests: pages,
};
const joined: BenchCase = {
  name: 'two servers joined',
  query: 'query ($page: Int!) { users(page: $page) { id name posts { id title } } }',
  requests: pages,
};

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything that it started. */
export function benchRemote(options: BenchOptions, withGateways: boolean): Promise<RemoteResult> {
  const folder = withGateways ? installGateways(options.progress) : undefined;
  return withRemoteStage(async (stage) => {
    const passed = await measurePassing(stage, options);
    const gateways = await measureJoining(stage, folder, options);
    const { progress } = options;
    progress('requests, levels, many rows');
    const large = await measureManyRows(stage);
    const figures = [
      ...passed.figures,
      ...gateways.figures,
      ...(await countRequests(stage)),
      ...(await measureLevel(stage)),
      ...(await measureStarts(stage, progress)),
      ...large,
      ...(await measureTables(stage)),
      ...(await measureLargeSchema()),
    ];
    return { loads: [...passed.loads, ...gateways.loads], figures };
  });
}

async function compare<Name extends string>(
  bench: BenchCase,
  contestants: Contestants<Name | 'engine'>,
  options: BenchOptions,
): Promise<Load[]> {
  const expected = await checkAnswers(bench, contestants);
  const loads: Load[] = [];
  for (const connections of options.connections) {
    const rounds = await measureRounds(bench, contestants, expected, connections, WARM_UP, options);
    for (const server of Object.keys(contestants) as (Name | 'engine')[])
      loads.push({
        case: bench.name,
        server,
        connections,
        ...summaryOf(rounds[server]),
        ratio: ratioOf(rounds.engine, rounds[server]),
      });
  }
  return loads;
}

async function measurePassing({ engine, floor }: RemoteStage, options: BenchOptions): Promise<RemoteResult> {
  const loads = await compare(
    one,
    {
      engine: { server: engine, requests: graphqlRequests(one, '/v1/graphql') },
      'by hand': { server: floor, requests: graphqlRequests(one, '/one') },
    },
    options,
  );
  return { loads, figures: atLeast('D-1', loads, 'by hand', 0.8) };
}

/** Our requests per second in relation to another server's, for each number of connections. */
function atLeast(goal: string, loads: readonly Load[], server: string, wanted: number): RemoteFigure[] {
  return loads
    .filter((load) => load.server === server)
    .map(({ case: name, connections, ratio }) => ({
      goal,
      measure: `${name}, ${connections} connections: requests/s in relation to ${server}`,
      wanted: `≥ ${wanted}`,
      measured: ratio.toFixed(2),
      holds: ratio >= wanted,
    }));
}

async function measureJoining(
  { engine, floor, upstream, start }: RemoteStage,
  folder: string | undefined,
  options: BenchOptions,
): Promise<RemoteResult> {
  const ours = {
    engine: { server: engine, requests: graphqlRequests(joined, '/v1/graphql') },
    'by hand': { server: floor, requests: graphqlRequests(joined, '/joined') },
  };
  if (folder === undefined) return { loads: await compare(joined, ours, options), figures: [] };
  const given: GatewayOptions = {
    folder,
    users: addressOf(upstream.users),
    posts: addressOf(upstream.posts),
  };
  const requests = graphqlRequests(joined, '/graphql');
  const [hive, mercurius] = [
    await start('hive-gateway.ts', given),
    await start('mercurius-gateway.ts', given),
  ];
  const loads = await compare(
    joined,
    { ...ours, hive: { server: hive, requests }, mercurius: { server: mercurius, requests } },
    options,
  );
  const [own, other] = [await engine.state(), await hive.state()];
  const share = own.resident / other.resident;
  const memory = atMost(
    'D-2',
    `memory under load: ${inMegabytes(own.resident)} MB beside ${inMegabytes(other.resident)} MB of hive`,
    0.25,
    share,
    2,
  );
  return {
    loads,
    figures: [...atLeast('D-2', loads, 'hive', 2), ...atLeast('D-2', loads, 'mercurius', 4), memory],
  };
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** Requests that all servers behind ours got for one operation. */
async function requestsFor({ engine, upstream }: RemoteStage, query: string): Promise<number> {
  const count = async () => {
    const counts = Object.values(upstream).map(({ port }) => fetchOnce(port, { path: '/', headers: {} }));
    return (await Promise.all(counts)).reduce((sum, text) => sum + Number(text), 0);
  };
  const before = await count();
  await askEngine({ engine }, query);
  return (await count()) - before;
}

async function askEngine({ engine }: Pick<RemoteStage, 'engine'>, query: string): Promise<string> {
  const text = await fetchOnce(engine.port, graphql(query));
  if (!text.startsWith('{"data":')) throw new Error(`${query}: ${text.slice(0, 500)}`);
  return text;
}

async function countRequests(stage: RemoteStage): Promise<RemoteFigure[]> {
  const fields = SLOW.join(' ');
  const cases = [
    ['a root field and a join below it', '{ users(page: 1) { id posts { id } } }', 2],
    [
      'four joins to one server, two levels',
      '{ users(page: 1) { posts { id } a: posts { title } b: posts { words } c: posts { id words } } }',
      2,
    ],
    ['three servers in one level', `{ event(limit: 10) { ${fields} } }`, 3],
    [`${ROWS} rows, 100 values`, '{ event { shared } }', 1],
    [`${ROWS} rows, ${ROWS} values`, '{ event { label } }', ROWS / 250],
  ] as const;
  const figures: RemoteFigure[] = [];
  for (const [name, query, wanted] of cases) {
    const found = await requestsFor(stage, query);
    figures.push({
      goal: 'D-3',
      measure: `requests for ${name}`,
      wanted: `= ${wanted}`,
      measured: String(found),
      holds: found === wanted,
    });
  }
  return figures;
}

async function measureLevel({ engine, floor }: RemoteStage): Promise<RemoteFigure[]> {
  const query = `{ ${SLOW.join(' ')} }`;
  const [roots, level, byHand] = (await timesOf([
    { port: engine.port, request: graphql(query) },
    { port: engine.port, request: graphql(`{ event(limit: 1) ${query} }`) },
    { port: floor.port, request: graphql(query, '/together') },
  ])) as [number, number, number];
  const beside = `ms beside ${byHand.toFixed(1)} by hand`;
  return [
    atMost('D-4', `three root fields, answered after 50, 80 and 120 ms: ${beside}`, byHand + 2, roots, 1),
    atMost('D-4', `three joins of a row: ${beside}`, byHand + 2, level, 1),
  ];
}

/** The results as aligned lines. */
export function remoteTable({ loads, figures }: RemoteResult): string {
  const rows = loads.map((load) => [
    `${load.case}: ${load.server}`,
    String(load.connections),
    load.requestsPerSecond.toFixed(0),
    load.p50.toFixed(2),
    load.p99.toFixed(2),
    load.cpuPerRequest.toFixed(0),
    load.ratio.toFixed(2),
  ]);
  const header = ['case', 'conn', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'ours/its'];
  const goals = figures.map(({ goal, measure, wanted, measured, holds }) => [
    `${goal}  ${measure}`,
    wanted,
    measured,
    holds ? 'holds' : 'missed',
  ]);
  return `${alignedTable([header, ...rows])}\n\n${alignedTable([['goal', 'wanted', 'measured', ''], ...goals])}`;
}
