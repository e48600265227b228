/**
 * Writes per second of our server beside bare node:http with SQL written by hand, in the same transaction shape: one
 * statement by itself, several between `begin` and `commit`. The help desk of examples/; each server has a database of its
 * own, so that both grow alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { postgresTime } from './postgres-time.ts';
import { compileProject, createProjectDatabase, exampleProject } from './project.ts';
import {
  alignedTable,
  type ProcessorRatios,
  processorRatios,
  ratioOf,
  type Summary,
  summaryOf,
} from './results.ts';
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
import type { WriteFloorOptions } from './servers/write-floor.ts';
import { type WriteCase, writeCases } from './write-cases.ts';
import { handwrittenWrite } from './write-statements.ts';

export interface WriteResult {
  readonly name: string;
  readonly connections: number;
  /** Our requests per second in relation to those of the SQL written by hand. */
  readonly ratio: number;
  readonly processor: ProcessorRatios;
  readonly engine: Summary;
  readonly handwritten: Summary;
}

/** Seconds before the first round. */
const WARM_UP = 1;

/** Runs the benchmark on an embedded PostgreSQL of its own, and stops everything it started. */
export async function benchWriting(options: BenchOptions): Promise<WriteResult[]> {
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
    const [tickets] = await Promise.all([fill(databases.engine), fill(databases.handwritten)]);
    const cases = writeCases(tickets).filter(({ name }) => name.includes(options.only));
    writeFolder(directory, (await compileProject(project, databases.engine)).files);
    const writes = Object.fromEntries(cases.map((each) => [floorPath(each), handwrittenWrite(each)]));
    const served: EngineOptions = { directory, databaseUrl: databases.engine };
    const engine = await startMeasured('engine.ts', served);
    started.push(engine);
    const floor: WriteFloorOptions = { databaseUrl: databases.handwritten, writes };
    const handwritten = await startMeasured('write-floor.ts', floor);
    started.push(handwritten);
    const results: WriteResult[] = [];
    const measured = { ...options, postgresTime: postgresTime(postgres.dataDirectory) };
    const [first] = cases;
    if (first) await warmUp(first, contestantsOf(first, { engine, handwritten }), options.progress);
    for (const each of cases) results.push(...(await benchCase(each, { engine, handwritten }, measured)));
    return results;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Gives a database as many tickets as a help desk has. Statements keep their plans: those made for an empty table would scan
 * it while it grows. Yields ids of tickets of tenant 1.
 */
export async function fill(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`insert into ticket (tenant_id, customer_id, subject)
    select tenant_id, id, 'Question ' || number from customer, generate_series(1, 500) as number`);
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ id: number }>(
    'select id from ticket where tenant_id = 1 order by id limit 200',
  );
  await client.end();
  return rows.map(({ id }) => id);
}

interface Servers {
  readonly engine: MeasuredServer;
  readonly handwritten: MeasuredServer;
}

function contestantsOf(write: WriteCase, { engine, handwritten }: Servers): Contestants<keyof Servers> {
  return {
    engine: { server: engine, requests: graphqlRequests(write, '/v1/graphql') },
    handwritten: { server: handwritten, requests: graphqlRequests(write, floorPath(write)) },
  };
}

async function benchCase(write: WriteCase, servers: Servers, options: BenchOptions): Promise<WriteResult[]> {
  const contestants = contestantsOf(write, servers);
  options.progress(`${write.name}: checking that all answers are equal`);
  const expected = await checkAnswers(write, contestants);
  const results: WriteResult[] = [];
  for (const connections of options.connections) {
    const { engine, handwritten } = await measureRounds(
      write,
      contestants,
      expected,
      connections,
      WARM_UP,
      options,
    );
    const ours = summaryOf(engine);
    const theirs = summaryOf(handwritten);
    results.push({
      name: write.name,
      connections,
      ratio: ratioOf(engine, handwritten),
      processor: processorRatios(ours, theirs),
      engine: ours,
      handwritten: theirs,
    });
  }
  return results;
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
    'Postgres',
    'load',
    'by hand',
    'p50 ms',
    'CPU µs',
    'Postgres',
    'ratio',
    'CPU ratio',
    'bound',
  ];
  const rows = results.map(({ name, connections, ratio, processor, engine, handwritten }) => [
    name,
    String(connections),
    engine.requestsPerSecond.toFixed(0),
    engine.p50.toFixed(2),
    engine.p99.toFixed(2),
    engine.cpuPerRequest.toFixed(0),
    engine.postgresPerRequest.toFixed(0),
    engine.generatorPerRequest.toFixed(0),
    handwritten.requestsPerSecond.toFixed(0),
    handwritten.p50.toFixed(2),
    handwritten.cpuPerRequest.toFixed(0),
    handwritten.postgresPerRequest.toFixed(0),
    ratio.toFixed(2),
    processor.ratio.toFixed(2),
    processor.bound.toFixed(2),
  ]);
  return alignedTable([header, ...rows]);
}
