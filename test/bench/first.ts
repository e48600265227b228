/**
 * What the first plan of an operation costs, in a program and a role schema that nothing was asked of before: functions called,
 * and time. The time is compared with the same request when its plan is kept and, on demand, with another checkout that compiles the
 * same metadata. Without server and database: all run in this process in turns, bundled as servers are.
 */

import { rm } from 'node:fs/promises';
import { Session as Inspector } from 'node:inspector/promises';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { readCatalog } from '../../compiler/phases/2-introspect/index.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { bundleSources } from '../harness/bundle.ts';
import type { BenchCase } from './cases.ts';
import { createProjectDatabase, type Project, servedProject } from './project.ts';
import { alignedTable, median } from './results.ts';
import type { BenchOptions } from './rounds.ts';
import { sessionOf } from './statements.ts';

export interface FirstPlans {
  readonly name: string;
  /** Different functions, and calls of them. */
  readonly functions: number;
  readonly calls: number;
  /** Microseconds of processor time, which a busy machine changes least. */
  readonly time: number;
  /** The time in relation to that of the same request afterwards, whose plan is kept. */
  readonly again: number;
  /** Another checkout, and our calls and time in relation to its. */
  readonly against?: Pick<FirstPlans, 'functions' | 'calls' | 'time'> & {
    readonly callRatio: number;
    readonly timeRatio: number;
  };
}

/** Requests in each round, each to a fresh program. */
const REQUESTS = 50;
/** Rounds before the first that counts: until V8 has compiled what is measured. */
const WARM_UP = 5;

type Ask = () => unknown;
/** Makes a fresh program with its planner, and what asks the request of it. */
type Prepare = (bench: BenchCase) => Ask;

/** Runs the benchmark on an embedded PostgreSQL of its own, whose catalog is read, and stops it. */
export async function benchFirst(
  options: BenchOptions,
  project: Project = servedProject(),
): Promise<FirstPlans[]> {
  options.progress(`starting PostgreSQL and loading ${project.name}`);
  const postgres = await startEmbeddedPostgres();
  const bundles: string[] = [];
  try {
    const { value: metadata } = readMetadataFile(project.metadata);
    const [source] = metadata.sources;
    const addresses = new Map([[source!.name, await createProjectDatabase(project, postgres)]]);
    const catalogs = {
      [source!.name]: await readCatalog(source!, { addresses, environment: {}, vocabulary: CANONICAL }),
    };
    const prepare = async (checkout?: string): Promise<Prepare> => {
      options.progress(`bundling and compiling${checkout === undefined ? '' : ` with ${checkout}`}`);
      const bundle = await bundleSources(Object.values(SOURCES), checkout);
      bundles.push(bundle);
      return prepareIn(bundle, { metadata, catalogs });
    };
    const ours = await prepare();
    const theirs = options.against === undefined ? undefined : await prepare(resolve(options.against));
    const results: FirstPlans[] = [];
    for (const bench of project.cases.filter(({ name }) => name.includes(options.only))) {
      options.progress(bench.name);
      results.push(await measureCase(bench, ours, theirs, options.rounds));
    }
    return results;
  } finally {
    await postgres.stop();
    await Promise.all(bundles.map((bundle) => rm(bundle, { recursive: true, force: true })));
  }
}

const SOURCES = {
  compiler: 'compiler/index.ts',
  program: 'runtime/core/program/program.ts',
  planner: 'runtime/core/request/planner.ts',
  loader: 'runtime/program/loader.ts',
} as const;

type CompileInput = import('../../compiler/index.ts').CompileInput;

async function prepareIn(bundle: string, input: CompileInput): Promise<Prepare> {
  const load = (path: string): Promise<unknown> => import(join(bundle, path.replace(/\.ts$/, '.js')));
  const { compile } = (await load(SOURCES.compiler)) as typeof import('../../compiler/index.ts');
  const { linkProgram } = (await load(
    SOURCES.program,
  )) as typeof import('../../runtime/core/program/program.ts');
  const { createPlanner } = (await load(
    SOURCES.planner,
  )) as typeof import('../../runtime/core/request/planner.ts');
  const { createLoader } = (await load(SOURCES.loader)) as typeof import('../../runtime/program/loader.ts');
  const generated = await createLoader().load(compile(input).files);
  return ({ query, requests: [request] }) => {
    const program = linkProgram(generated, { inferFunctionPermissions: true });
    const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
    const session = sessionOf(request!);
    return () => planner.plan(session, { query, variables: request!.variables });
  };
}

async function measureCase(
  bench: BenchCase,
  ours: Prepare,
  theirs: Prepare | undefined,
  rounds: number,
): Promise<FirstPlans> {
  const times = { ours: [] as number[], again: [] as number[], theirs: [] as number[] };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    if (round === 0) for (const list of Object.values(times)) list.length = 0;
    const asks = Array.from({ length: REQUESTS }, () => ours(bench));
    times.ours.push(microseconds(asks));
    times.again.push(microseconds(asks));
    if (theirs) times.theirs.push(microseconds(Array.from({ length: REQUESTS }, () => theirs(bench))));
  }
  const ratioTo = (others: readonly number[]) =>
    median(times.ours.map((time, round) => time / others[round]!));
  const counts = await countCalls(ours(bench));
  const other = theirs && (await countCalls(theirs(bench)));
  return {
    name: bench.name,
    ...counts,
    time: median(times.ours),
    again: ratioTo(times.again),
    ...(other && {
      against: {
        ...other,
        time: median(times.theirs),
        callRatio: counts.calls / other.calls,
        timeRatio: ratioTo(times.theirs),
      },
    }),
  };
}

/** Processor time of one of them, on average. */
function microseconds(asks: readonly Ask[]): number {
  const begin = process.cpuUsage();
  for (const ask of asks) ask();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / asks.length;
}

/** Counted by V8, which runs slower meanwhile. Functions of Node.js do not count. */
async function countCalls(ask: Ask): Promise<Pick<FirstPlans, 'functions' | 'calls'>> {
  const inspector = new Inspector();
  inspector.connect();
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await inspector.post('Profiler.takePreciseCoverage');
    ask();
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const counts = result
      .filter(({ url }) => url.startsWith('file:') && url !== import.meta.url)
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]!.count))
      .filter((count) => count > 0);
    return { functions: counts.length, calls: counts.reduce((sum, count) => sum + count, 0) };
  } finally {
    inspector.disconnect();
  }
}

export function firstTable(results: readonly FirstPlans[]): string {
  const compared = results.some(({ against }) => against);
  const rows = results.map(({ name, functions, calls, time, again, against }) => [
    name,
    String(functions),
    String(calls),
    time.toFixed(0),
    again.toFixed(1),
    ...(against
      ? [
          String(against.functions),
          String(against.calls),
          against.time.toFixed(0),
          against.callRatio.toFixed(2),
          against.timeRatio.toFixed(2),
        ]
      : []),
  ]);
  return alignedTable([
    [
      'first plan',
      'functions',
      'calls',
      'CPU µs',
      'to kept',
      ...(compared ? ['against', 'calls', 'CPU µs', 'calls ratio', 'CPU ratio'] : []),
    ],
    ...rows,
  ]);
}
