/**
 * Requests per second of our server beside two floors: bare node:http with our SQL (what the server costs) and bare
 * node:http with SQL written by hand (what our SQL costs on top). One run, alternating rounds, equal answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/output-folder.ts';
import { linkProgram } from '../../runtime/core/program.ts';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { totalBuffers } from './buffers.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { fetchOnce, generateLoad, type LoadRequest } from './load.ts';
import { compileProject, createProjectDatabase, type Project, servedProject } from './project.ts';
import { type CaseResult, type Measurement, median, percentile } from './results.ts';
import type { EngineOptions } from './servers/engine.ts';
import type { FloorOptions } from './servers/floor.ts';
import { engineStatement, type FloorStatement, handwrittenStatement } from './statements.ts';

export interface ServingOptions {
  readonly connections: readonly number[];
  /** Rounds of each server; odd, for the median. */
  readonly rounds: number;
  readonly seconds: number;
  /** Only cases whose name has this text in it. */
  readonly only: string;
  readonly progress: (text: string) => void;
}

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
  options: ServingOptions,
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
    const requests = requestsOf(bench);
    const expected = await checkAnswers(bench, requests, servers);
    for (const name of SERVERS)
      await generateLoad(servers[name].port, requests[name], expected[name], 16, 4 * WARM_UP);
  }
}

function floorPath({ name }: BenchCase): string {
  return `/${encodeURIComponent(name)}`;
}

/** The same bytes for every server, but for the path. */
function requestsOf(bench: BenchCase): Record<ServerName, LoadRequest[]> {
  if (bench.endpoint !== undefined) return restRequests(bench, bench.endpoint);
  const to = (path: string) =>
    bench.requests.map(({ headers, variables }) => ({
      path,
      headers,
      body: JSON.stringify({ query: bench.query, variables }),
    }));
  return { engine: to('/v1/graphql'), floor: to(floorPath(bench)), handwritten: to(floorPath(bench)) };
}

function restRequests(bench: BenchCase, endpoint: string): Record<ServerName, LoadRequest[]> {
  const to = (path: (variables: Record<string, string>) => string) =>
    bench.requests.map(({ headers, variables }) => ({
      path: path(variables as Record<string, string>),
      headers,
    }));
  const floor = to((variables) => `${floorPath(bench)}?${new URLSearchParams(variables)}`);
  const engine = to((variables) =>
    endpoint.replace(/:(\w+)/g, (_, name: string) => String(variables[name])),
  ).map((request) => ({ ...request, path: `/api/rest/${request.path}` }));
  return { engine, floor, handwritten: floor };
}

async function benchCase(
  { bench, statements }: PreparedCase,
  servers: Readonly<Record<ServerName, MeasuredServer>>,
  databaseUrl: string,
  { connections, rounds, seconds, progress }: ServingOptions,
): Promise<CaseResult[]> {
  const requests = requestsOf(bench);
  progress(`${bench.name}: checking that all answers are equal`);
  const expected = await checkAnswers(bench, requests, servers);
  const buffers = {
    engine: await totalBuffers(databaseUrl, bench, statements.engine),
    handwritten: await totalBuffers(databaseUrl, bench, statements.handwritten),
  };
  const results: CaseResult[] = [];
  for (const count of connections) {
    const measurements: Record<ServerName, Measurement[]> = { engine: [], floor: [], handwritten: [] };
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
      progress(`${bench.name}, ${count} connections: round ${round + 1} of ${rounds}`);
      // Every other round backwards, so that what drifts does not favour one of them.
      for (const name of round % 2 === 0 ? SERVERS : SERVERS.toReversed())
        measurements[name].push(await measure(name, seconds));
    }
    results.push(resultOf(bench.name, count, measurements, buffers));
  }
  return results;
}

/** Lengths of the answers by server and request. @throws unless every server answers the same JSON, and data at that */
async function checkAnswers(
  { name, requests, equality, endpoint }: BenchCase,
  loads: Readonly<Record<ServerName, readonly LoadRequest[]>>,
  servers: Readonly<Record<ServerName, MeasuredServer>>,
): Promise<Record<ServerName, number[]>> {
  const lengths: Record<ServerName, number[]> = { engine: [], floor: [], handwritten: [] };
  const isFailure = (answer: string) => endpoint === undefined && !answer.startsWith('{"data":');
  for (const index of requests.keys()) {
    const texts = await Promise.all(
      SERVERS.map((server) => fetchOnce(servers[server].port, loads[server][index]!)),
    );
    const answers = texts.map((text) => comparable(text, equality));
    if (answers.some((answer) => answer !== answers[0]) || isFailure(answers[0]!)) {
      const shown = SERVERS.map((server, position) => `${server}: ${answers[position]!.slice(0, 2000)}`);
      throw new Error(
        `the answers to request ${index + 1} of the case "${name}" differ:\n${shown.join('\n')}`,
      );
    }
    SERVERS.forEach((server, position) => {
      lengths[server].push(Buffer.byteLength(texts[position]!));
    });
  }
  return lengths;
}

/** Answers that count as equal have equal texts. */
function comparable(answer: string, equality: BenchCase['equality']): string {
  const simplify = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items = value.map(simplify);
      return equality === undefined ? items : items.map((item) => JSON.stringify(item)).sort();
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, simplify(item)]));
    return equality === 'shape' ? typeof value : value;
  };
  return JSON.stringify(simplify(JSON.parse(answer)));
}

function resultOf(
  name: string,
  connections: number,
  measurements: Readonly<Record<ServerName, readonly Measurement[]>>,
  buffers: CaseResult['buffers'],
): CaseResult {
  // Neighbouring rounds are compared with each other: what else the machine did touched both.
  const ratioTo = (floor: ServerName) =>
    median(
      measurements.engine.map(
        ({ requestsPerSecond }, round) => requestsPerSecond / measurements[floor][round]!.requestsPerSecond,
      ),
    );
  const summary = (server: ServerName) => {
    const rounds = measurements[server];
    const latencies = rounds.flatMap((round) => round.latencies).sort((left, right) => left - right);
    return {
      requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      cpuPerRequest: median(rounds.map((round) => round.cpuPerRequest)),
    };
  };
  return {
    name,
    connections,
    ratio: ratioTo('floor'),
    sqlRatio: ratioTo('handwritten'),
    engine: summary('engine'),
    floor: summary('floor'),
    handwritten: summary('handwritten'),
    buffers,
  };
}
