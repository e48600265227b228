/** What an option costs: our server with it beside itself without it, in reads and writes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import type { BenchCase } from './cases.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import {
  compileProject,
  createProjectDatabase,
  exampleProject,
  type Project,
  servedProject,
} from './project.ts';
import { alignedTable, ratioOf, type Summary, summaryOf } from './results.ts';
import { type BenchOptions, checkAnswers, graphqlRequests, measureRounds, warmUp } from './rounds.ts';
import type { EngineOptions } from './servers/engine.ts';
import { writeCases } from './write-cases.ts';
import { fill } from './writing.ts';

export interface SwitchResult {
  readonly name: string;
  readonly connections: number;
  /** Requests per second with the option in relation to those without. */
  readonly ratio: number;
  readonly on: Summary;
  readonly off: Summary;
}

/** The servers that are compared. */
export interface Switch {
  readonly on: Partial<EngineOptions>;
  readonly off: Partial<EngineOptions>;
}

/** Seconds before the first round. */
const WARM_UP = 1;

/** The option's cost in reads. */
export function benchReads(compared: Switch, options: BenchOptions): Promise<SwitchResult[]> {
  const project = servedProject();
  return measure(compared, project, async () => project.cases, options);
}

/** The option's cost in writes: both servers write to one database. */
export function benchWrites(compared: Switch, options: BenchOptions): Promise<SwitchResult[]> {
  return measure(compared, exampleProject(), async (url) => writeCases(await fill(url)), options);
}

/** On an embedded PostgreSQL of its own; stops everything it started. */
async function measure(
  compared: Switch,
  project: Project,
  casesOf: (databaseUrl: string) => Promise<readonly BenchCase[]>,
  options: BenchOptions,
): Promise<SwitchResult[]> {
  options.progress(`starting PostgreSQL, loading and compiling ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const started: MeasuredServer[] = [];
  try {
    const databaseUrl = await createProjectDatabase(project, postgres);
    const cases = await casesOf(databaseUrl);
    writeFolder(directory, (await compileProject(project, databaseUrl)).files);
    const start = async (given: Partial<EngineOptions>) => {
      const served: EngineOptions = { directory, databaseUrl, ...given };
      const server = await startMeasured('engine.ts', served);
      started.push(server);
      return server;
    };
    const on = await start(compared.on);
    const off = await start(compared.off);
    const results: SwitchResult[] = [];
    const contestantsOf = (bench: BenchCase) => {
      const requests = graphqlRequests(bench, '/v1/graphql');
      return { on: { server: on, requests }, off: { server: off, requests } };
    };
    const chosen = cases.filter(({ name }) => name.includes(options.only));
    if (chosen[0]) await warmUp(chosen[0], contestantsOf(chosen[0]), options.progress);
    for (const bench of chosen) {
      const contestants = contestantsOf(bench);
      const expected = await checkAnswers(bench, contestants);
      for (const connections of options.connections) {
        const rounds = await measureRounds(bench, contestants, expected, connections, WARM_UP, options);
        results.push({
          name: bench.name,
          connections,
          ratio: ratioOf(rounds.on, rounds.off),
          on: summaryOf(rounds.on),
          off: summaryOf(rounds.off),
        });
      }
    }
    return results;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The results as aligned lines; the last has the geometric means, whose noise is the smallest. */
export function switchTable(name: string, results: readonly SwitchResult[]): string {
  const header = ['case', 'conn', `with ${name}`, 'CPU µs', 'without', 'CPU µs', 'ratio', 'CPU ratio'];
  const cpuRatio = ({ on, off }: SwitchResult) => on.cpuPerRequest / off.cpuPerRequest;
  const rows = results.map((result) => [
    result.name,
    String(result.connections),
    result.on.requestsPerSecond.toFixed(0),
    result.on.cpuPerRequest.toFixed(0),
    result.off.requestsPerSecond.toFixed(0),
    result.off.cpuPerRequest.toFixed(0),
    result.ratio.toFixed(2),
    cpuRatio(result).toFixed(2),
  ]);
  const means = [results.map(({ ratio }) => ratio), results.map(cpuRatio)].map((each) =>
    mean(each).toFixed(3),
  );
  return alignedTable([header, ...rows, ['all, geometric mean', '', '', '', '', '', ...means]]);
}

function mean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
