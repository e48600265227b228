/**
 * Requests per second of our server beside two floors: bare node:http with our SQL (what the server costs) and bare
 * node:http with SQL written by hand (what our SQL costs on top). One run, alternating rounds, equal answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { linkProgram } from '../../runtime/core/program/program.ts';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { totalBuffers } from './buffers.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { type HttpTime, measureHttpAlone } from './http-alone.ts';
import { fetchOnce, type LoadRequest } from './load.ts';
import { postgresTime } from './postgres-time.ts';
import { compileProject, createProjectDatabase, type Project, servedProject } from './project.ts';
import { type CaseResult, type Measurement, processorRatios, ratioOf, summaryOf } from './results.ts';
import {
  type BenchOptions,
  type Contestants,
  checkAnswers,
  floorPath,
  graphqlRequests,
  measureRounds,
  warmUp,
} from './rounds.ts';
import type { EngineOptions } from './servers/engine.ts';
import type { FloorOptions } from './servers/floor.ts';
import { engineStatement, type FloorStatement, handwrittenStatement } from './statements.ts';

/** Seconds before the first round of a case: prepared statements, connections. */
const WARM_UP = 0.5;

type ServerName = 'engine' | 'floor' | 'handwritten' | 'against';
/** `against` is there only where it is asked for. */
type Servers = Readonly<Record<Exclude<ServerName, 'against'>, MeasuredServer>> & {
  readonly against?: MeasuredServer;
};

interface PreparedCase {
  readonly bench: BenchCase;
  readonly statements: { readonly engine: FloorStatement; readonly handwritten: FloorStatement };
}

/** The same cases with `@cached`, on a server that keeps answers: nothing is written, so that all but the first are from memory. */
export function benchCached(options: BenchOptions): Promise<CaseResult[]> {
  const project = servedProject();
  const cases = project.cases.map((bench) => ({ ...bench, query: asCached(bench.query) }));
  return benchServing(options, { ...project, cases }, { responseCache: '64' });
}

function asCached(query: string): string {
  return query.startsWith('{') ? `query @cached ${query}` : query.replace('{', '@cached {');
}

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchServing(
  options: BenchOptions,
  project: Project = servedProject(),
  served: Pick<EngineOptions, 'responseCache'> = {},
): Promise<CaseResult[]> {
  options.progress(`starting PostgreSQL, loading and compiling ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  try {
    const databaseUrl = await createProjectDatabase(project, postgres);
    const cases = await prepareCases(project, databaseUrl, directory);
    const servers = await startServers(databaseUrl, directory, cases, options, served);
    try {
      const measured = { ...options, postgresTime: postgresTime(postgres.dataDirectory) };
      const [first] = cases;
      if (first) await warmUp(first.bench, contestantsOf(first.bench, servers), options.progress);
      const chosen = cases.filter(({ bench }) => bench.name.includes(options.only));
      const httpTimes = await httpTimesOf(chosen, servers, options);
      const results: CaseResult[] = [];
      for (const prepared of chosen) {
        results.push(...(await benchCase(prepared, servers, databaseUrl, httpTimes, measured)));
      }
      return results;
    } finally {
      await Promise.all(Object.values(servers).map((server) => server.stop()));
    }
  } finally {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Compiles into the folder that our server will serve, and reads our SQL off the same files. */
async function prepareCases(
  project: Project,
  databaseUrl: string,
  directory: string,
): Promise<PreparedCase[]> {
  const { files } = await compileProject(project, databaseUrl);
  writeFolder(directory, files);
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
  return project.cases.map((bench) => {
    const engine = engineStatement(planner, bench);
    return {
      bench,
      statements: { engine, handwritten: handwrittenStatement(project.name, bench, engine) },
    };
  });
}

async function startServers(
  databaseUrl: string,
  directory: string,
  cases: readonly PreparedCase[],
  { against }: BenchOptions,
  served: Pick<EngineOptions, 'responseCache'>,
): Promise<Servers> {
  const floor = (kind: 'engine' | 'handwritten'): FloorOptions => ({
    databaseUrl,
    statements: Object.fromEntries(
      cases.map(({ bench, statements }) => [floorPath(bench), statements[kind]]),
    ),
  });
  const engine: EngineOptions = { directory, databaseUrl, ...served };
  return {
    engine: await startMeasured('engine.ts', engine),
    floor: await startMeasured('floor.ts', floor('engine')),
    handwritten: await startMeasured('floor.ts', floor('handwritten')),
    ...(against !== undefined && { against: await startMeasured('engine.ts', engine, resolve(against)) }),
  };
}

/** With the requests of the first case, and the answer to its first one. */
async function httpTimesOf(
  [first]: readonly PreparedCase[],
  servers: Servers,
  options: BenchOptions,
): Promise<HttpTime> {
  if (!first) return new Map();
  const { requests } = contestantsOf(first.bench, servers).floor;
  const answer = await fetchOnce(servers.floor.port, requests[0]!);
  return measureHttpAlone(requests, answer, options);
}

function contestantsOf(bench: BenchCase, servers: Servers): Contestants<ServerName> {
  const { endpoint } = bench;
  const [ours, floor] =
    endpoint === undefined
      ? [graphqlRequests(bench, '/v1/graphql'), graphqlRequests(bench, floorPath(bench))]
      : restRequests(bench, endpoint);
  return {
    engine: { server: servers.engine, requests: ours },
    floor: { server: servers.floor, requests: floor },
    handwritten: { server: servers.handwritten, requests: floor },
    ...(servers.against && { against: { server: servers.against, requests: ours } }),
  } as Contestants<ServerName>;
}

/** As an endpoint is asked, and as a floor is. */
function restRequests(bench: BenchCase, endpoint: string): [ours: LoadRequest[], floor: LoadRequest[]] {
  const to = (path: (variables: Record<string, string>) => string) =>
    bench.requests.map(({ headers, variables }) => ({
      path: path(variables as Record<string, string>),
      headers,
    }));
  const floor = to((variables) => `${floorPath(bench)}?${new URLSearchParams(variables)}`);
  const ours = to((variables) =>
    endpoint.replace(/:(\w+)/g, (_, name: string) => String(variables[name])),
  ).map((request) => ({ ...request, path: `/api/rest/${request.path}` }));
  return [ours, floor];
}

async function benchCase(
  { bench, statements }: PreparedCase,
  servers: Servers,
  databaseUrl: string,
  httpTimes: HttpTime,
  options: BenchOptions,
): Promise<CaseResult[]> {
  const contestants = contestantsOf(bench, servers);
  options.progress(`${bench.name}: checking that all answers are equal`);
  const expected = await checkAnswers(bench, contestants);
  const buffers = {
    engine: await totalBuffers(databaseUrl, bench, statements.engine),
    handwritten: await totalBuffers(databaseUrl, bench, statements.handwritten),
  };
  const results: CaseResult[] = [];
  for (const count of options.connections) {
    const measurements = await measureRounds(bench, contestants, expected, count, WARM_UP, options);
    results.push(resultOf(bench.name, count, measurements, httpTimes.get(count)!, buffers));
  }
  return results;
}

function resultOf(
  name: string,
  connections: number,
  measurements: Readonly<Record<Exclude<ServerName, 'against'>, readonly Measurement[]>> & {
    readonly against?: readonly Measurement[];
  },
  httpTime: number,
  buffers: CaseResult['buffers'],
): CaseResult {
  const engine = summaryOf(measurements.engine);
  const floor = summaryOf(measurements.floor);
  const { against } = measurements;
  return {
    name,
    connections,
    ratio: ratioOf(measurements.engine, measurements.floor),
    sqlRatio: ratioOf(measurements.engine, measurements.handwritten),
    httpTime,
    processor: processorRatios(engine, floor, httpTime),
    engine,
    floor,
    ...(against && {
      against: { ...summaryOf(against), ratio: ratioOf(measurements.engine, against) },
    }),
    handwritten: summaryOf(measurements.handwritten),
    buffers,
  };
}
