/**
 * Requests per second of our server beside two floors: bare node:http with our SQL (what the server costs) and bare
 * node:http with SQL written by hand (what our SQL costs on top). One run, alternating rounds, equal answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { linkProgram } from '../../runtime/core/program.ts';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { totalBuffers } from './buffers.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { generateLoad, type LoadRequest } from './load.ts';
import { compileProject, createProjectDatabase, type Project, servedProject } from './project.ts';
import { type CaseResult, type Measurement, ratioOf, summaryOf } from './results.ts';
import {
  type BenchOptions,
  type Contestants,
  checkAnswers,
  floorPath,
  graphqlRequests,
  measureRounds,
} from './rounds.ts';
import type { EngineOptions } from './servers/engine.ts';
import type { FloorOptions } from './servers/floor.ts';
import { engineStatement, type FloorStatement, handwrittenStatement } from './statements.ts';

/** Seconds before the first round: compilation of hot code, prepared statements, connections. */
const WARM_UP = 0.5;

const SERVERS = ['engine', 'floor', 'handwritten'] as const;
type ServerName = (typeof SERVERS)[number];

interface PreparedCase {
  readonly bench: BenchCase;
  readonly statements: { readonly engine: FloorStatement; readonly handwritten: FloorStatement };
}

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchServing(
  options: BenchOptions,
  project: Project = servedProject(),
): Promise<CaseResult[]> {
  options.progress(`starting PostgreSQL, loading and compiling ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  try {
    const databaseUrl = await createProjectDatabase(project, postgres);
    const cases = await prepareCases(project, databaseUrl, directory, options.only);
    const servers = await startServers(databaseUrl, directory, cases);
    try {
      options.progress('warming up');
      await warmUp(cases, servers);
      const results: CaseResult[] = [];
      for (const prepared of cases) {
        results.push(...(await benchCase(prepared, servers, databaseUrl, options)));
      }
      return results;
    } finally {
      await Promise.all(SERVERS.map((name) => servers[name].stop()));
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
  only: string,
): Promise<PreparedCase[]> {
  const { files } = await compileProject(project, databaseUrl);
  writeFolder(directory, files);
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
  return project.cases
    .filter(({ name }) => name.includes(only))
    .map((bench) => {
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
): Promise<Record<ServerName, MeasuredServer>> {
  const floor = (kind: 'engine' | 'handwritten'): FloorOptions => ({
    databaseUrl,
    statements: Object.fromEntries(
      cases.map(({ bench, statements }) => [floorPath(bench), statements[kind]]),
    ),
  });
  const engine: EngineOptions = { directory, databaseUrl };
  return {
    engine: await startMeasured('engine.ts', engine),
    floor: await startMeasured('floor.ts', floor('engine')),
    handwritten: await startMeasured('floor.ts', floor('handwritten')),
  };
}

/** A new process answers its first thousands of requests slower than all others. */
async function warmUp(
  cases: readonly PreparedCase[],
  servers: Readonly<Record<ServerName, MeasuredServer>>,
): Promise<void> {
  for (const { bench } of cases.slice(0, 2)) {
    const contestants = contestantsOf(bench, servers);
    const expected = await checkAnswers(bench, contestants);
    for (const name of SERVERS)
      await generateLoad(servers[name].port, contestants[name].requests, expected[name], 16, 4 * WARM_UP);
  }
}

function contestantsOf(
  bench: BenchCase,
  servers: Readonly<Record<ServerName, MeasuredServer>>,
): Contestants<ServerName> {
  const { endpoint } = bench;
  const [ours, floor] =
    endpoint === undefined
      ? [graphqlRequests(bench, '/v1/graphql'), graphqlRequests(bench, floorPath(bench))]
      : restRequests(bench, endpoint);
  return {
    engine: { server: servers.engine, requests: ours },
    floor: { server: servers.floor, requests: floor },
    handwritten: { server: servers.handwritten, requests: floor },
  };
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
  servers: Readonly<Record<ServerName, MeasuredServer>>,
  databaseUrl: string,
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
    results.push(resultOf(bench.name, count, measurements, buffers));
  }
  return results;
}

function resultOf(
  name: string,
  connections: number,
  measurements: Readonly<Record<ServerName, readonly Measurement[]>>,
  buffers: CaseResult['buffers'],
): CaseResult {
  return {
    name,
    connections,
    ratio: ratioOf(measurements.engine, measurements.floor),
    sqlRatio: ratioOf(measurements.engine, measurements.handwritten),
    engine: summaryOf(measurements.engine),
    floor: summaryOf(measurements.floor),
    handwritten: summaryOf(measurements.handwritten),
    buffers,
  };
}
