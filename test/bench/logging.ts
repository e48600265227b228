/** What `http-log` costs: our server with the default log types beside itself without `http-log`, reading by key. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { compileProject, createProjectDatabase, servedProject } from './project.ts';
import { alignedTable, ratioOf, type Summary, summaryOf } from './results.ts';
import { type BenchOptions, checkAnswers, graphqlRequests, measureRounds } from './rounds.ts';
import type { EngineOptions } from './servers/engine.ts';

export interface LoggingResult {
  readonly name: string;
  readonly connections: number;
  /** Requests per second with `http-log` in relation to those without. */
  readonly ratio: number;
  readonly logged: Summary;
  readonly unlogged: Summary;
}

/** Seconds before the first round. */
const WARM_UP = 1;

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchLogging(options: BenchOptions): Promise<LoggingResult[]> {
  const project = servedProject();
  options.progress(`starting PostgreSQL, loading and compiling ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const started: MeasuredServer[] = [];
  try {
    const databaseUrl = await createProjectDatabase(project, postgres);
    writeFolder(directory, (await compileProject(project, databaseUrl)).files);
    const start = async (given: Partial<EngineOptions>) => {
      const served: EngineOptions = { directory, databaseUrl, ...given };
      const server = await startMeasured('engine.ts', served);
      started.push(server);
      return server;
    };
    const logged = await start({});
    const unlogged = await start({ enabledLogTypes: 'startup' });
    const results: LoggingResult[] = [];
    for (const bench of project.cases.filter(({ name }) => name.includes(options.only))) {
      const requests = graphqlRequests(bench, '/v1/graphql');
      const contestants = { logged: { server: logged, requests }, unlogged: { server: unlogged, requests } };
      const expected = await checkAnswers(bench, contestants);
      for (const connections of options.connections) {
        const rounds = await measureRounds(bench, contestants, expected, connections, WARM_UP, options);
        results.push({
          name: bench.name,
          connections,
          ratio: ratioOf(rounds.logged, rounds.unlogged),
          logged: summaryOf(rounds.logged),
          unlogged: summaryOf(rounds.unlogged),
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

/** The results as aligned lines. */
export function loggingTable(results: readonly LoggingResult[]): string {
  const header = ['case', 'conn', 'with http-log', 'CPU µs', 'without', 'CPU µs', 'ratio'];
  const rows = results.map(({ name, connections, ratio, logged, unlogged }) => [
    name,
    String(connections),
    logged.requestsPerSecond.toFixed(0),
    logged.cpuPerRequest.toFixed(0),
    unlogged.requestsPerSecond.toFixed(0),
    unlogged.cpuPerRequest.toFixed(0),
    ratio.toFixed(2),
  ]);
  return alignedTable([header, ...rows]);
}
