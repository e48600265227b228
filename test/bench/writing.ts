/**
 * Writes per second of our server beside bare node:http with SQL written by hand, in the same transaction shape: one
 * statement by itself, several between `begin` and `commit`. The help desk of examples/; each server has a database of its
 * own, so that both grow alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { writeFolder } from '../../compiler/output-folder.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { fetchOnce, generateLoad, type LoadRequest } from './load.ts';
import { compileProject, createProjectDatabase, exampleProject } from './project.ts';
import { alignedTable, type Measurement, median, percentile } from './results.ts';
import type { EngineOptions } from './servers/engine.ts';
import type { WriteFloorOptions } from './servers/write-floor.ts';
import type { ServingOptions } from './serving.ts';
import { type WriteCase, writeCases } from './write-cases.ts';
import { handwrittenWrite } from './write-statements.ts';

const SERVERS = ['engine', 'handwritten'] as const;
type ServerName = (typeof SERVERS)[number];

export interface WriteResult {
  readonly name: string;
  readonly connections: number;
  /** Our requests per second in relation to those of the SQL written by hand. */
  readonly ratio: number;
  readonly engine: Summary;
  readonly handwritten: Summary;
}

interface Summary {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's own CPU time. */
  readonly cpuPerRequest: number;
}

const WARM_UP = 1;

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchWriting(options: ServingOptions): Promise<WriteResult[]> {
  const project = exampleProject();
  options.progress(`starting PostgreSQL, loading and compiling ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const started: MeasuredServer[] = [];
  try {
    const databases = {
      engine: await createProjectDatabase({ ...project, name: 'written_by_engine' }, postgres),
      handwritten: await createProjectDatabase({ ...project, name: 'written_by_hand' }, postgres),
    };
    const cases = writeCases(await ticketsOfTenant(databases.engine)).filter(({ name }) =>
      name.includes(options.only),
    );
    writeFolder(directory, (await compileProject(project, databases.engine)).files);
    const writes = Object.fromEntries(cases.map((each) => [floorPath(each), handwrittenWrite(each)]));
    const served: EngineOptions = { directory, databaseUrl: databases.engine };
    const engine = await startMeasured('engine.ts', served);
    started.push(engine);
    const floor: WriteFloorOptions = { databaseUrl: databases.handwritten, writes };
    const handwritten = await startMeasured('write-floor.ts', floor);
    started.push(handwritten);
    const results: WriteResult[] = [];
    for (const each of cases) results.push(...(await benchCase(each, { engine, handwritten }, options)));
    return results;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function ticketsOfTenant(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: number }>(
    'select id from ticket where tenant_id = 1 order by id',
  );
  await client.end();
  return rows.map(({ id }) => id);
}

function floorPath({ name }: WriteCase): string {
  return `/${encodeURIComponent(name)}`;
}

async function benchCase(
  write: WriteCase,
  servers: Readonly<Record<ServerName, MeasuredServer>>,
  { connections, rounds, seconds, progress }: ServingOptions,
): Promise<WriteResult[]> {
  const requestsTo = (path: string) =>
    write.requests.map(
      ({ headers, variables }): LoadRequest => ({
        path,
        headers,
        body: JSON.stringify({ query: write.query, variables }),
      }),
    );
  const requests = { engine: requestsTo('/v1/graphql'), handwritten: requestsTo(floorPath(write)) };
  progress(`${write.name}: checking that all answers are equal`);
  const expected = await checkAnswers(write, requests, servers);
  const results: WriteResult[] = [];
  for (const count of connections) {
    const measurements: Record<ServerName, Measurement[]> = { engine: [], handwritten: [] };
    const measure = async (name: ServerName, duration: number): Promise<Measurement> => {
      const server = servers[name];
      const before = await server.cpuMicroseconds();
      const load = await generateLoad(server.port, requests[name], expected[name], count, duration);
      const used = (await server.cpuMicroseconds()) - before;
      return {
        requestsPerSecond: load.requests / load.seconds,
        cpuPerRequest: used / load.requests,
        latencies: load.latencies,
      };
    };
    for (const name of SERVERS) await measure(name, WARM_UP);
    for (let round = 0; round < rounds; round++) {
      progress(`${write.name}, ${count} connections: round ${round + 1} of ${rounds}`);
      // Every other round backwards, so that what drifts does not favour one of them.
      for (const name of round % 2 === 0 ? SERVERS : SERVERS.toReversed())
        measurements[name].push(await measure(name, seconds));
    }
    results.push(resultOf(write.name, count, measurements));
  }
  return results;
}

/** Bytes of the answers by server and request. @throws unless both answer the same JSON, and data at that */
async function checkAnswers(
  { name }: WriteCase,
  requests: Readonly<Record<ServerName, readonly LoadRequest[]>>,
  servers: Readonly<Record<ServerName, MeasuredServer>>,
): Promise<Record<ServerName, number[]>> {
  const lengths: Record<ServerName, number[]> = { engine: [], handwritten: [] };
  for (const index of requests.engine.keys()) {
    const [ours, theirs] = await Promise.all(
      SERVERS.map((server) => fetchOnce(servers[server].port, requests[server][index]!)),
    );
    const same = JSON.stringify(JSON.parse(ours!)) === JSON.stringify(JSON.parse(theirs!));
    if (!same || !ours!.startsWith('{"data":'))
      throw new Error(`the answers to request ${index + 1} of "${name}" differ:\n${ours}\n${theirs}`);
    lengths.engine.push(Buffer.byteLength(ours!));
    lengths.handwritten.push(Buffer.byteLength(theirs!));
  }
  return lengths;
}

function resultOf(
  name: string,
  connections: number,
  measurements: Readonly<Record<ServerName, readonly Measurement[]>>,
): WriteResult {
  const summary = (server: ServerName): Summary => {
    const rounds = measurements[server];
    const latencies = rounds.flatMap((round) => round.latencies).sort((left, right) => left - right);
    return {
      requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      cpuPerRequest: median(rounds.map((round) => round.cpuPerRequest)),
    };
  };
  // Neighbouring rounds are compared with each other: what else the machine did touched both.
  const ratio = median(
    measurements.engine.map(
      ({ requestsPerSecond }, round) =>
        requestsPerSecond / measurements.handwritten[round]!.requestsPerSecond,
    ),
  );
  return { name, connections, ratio, engine: summary('engine'), handwritten: summary('handwritten') };
}

/** The results as aligned lines. */
export function writeTable(results: readonly WriteResult[]): string {
  const header = [
    'case',
    'conn',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'by hand',
    'p50 ms',
    'CPU µs',
    'ratio',
  ];
  const rows = results.map(({ name, connections, ratio, engine, handwritten }) => [
    name,
    String(connections),
    engine.requestsPerSecond.toFixed(0),
    engine.p50.toFixed(2),
    engine.p99.toFixed(2),
    engine.cpuPerRequest.toFixed(0),
    handwritten.requestsPerSecond.toFixed(0),
    handwritten.p50.toFixed(2),
    handwritten.cpuPerRequest.toFixed(0),
    ratio.toFixed(2),
  ]);
  return alignedTable([header, ...rows]);
}
