/**
 * `npm run bench`: benchmarks by name; see docs/benchmarks.md. Results go to standard output, and with `--json FILE` to a file
 * as well; progress is shown on standard error.
 */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { actionTable, benchActions } from './acting.ts';
import { keepBusy } from './busy.ts';
import { benchCompiling, compileTable } from './compiling.ts';
import { benchConsole, consoleTable } from './console.ts';
import { benchEvents } from './eventing/index.ts';
import { benchFirst, firstTable } from './first.ts';
import { benchGrowth, growthTable } from './growth/index.ts';
import { benchLargeRequests, largeTable, servesWithinLimits } from './large-requests.ts';
import { benchLive } from './live/bench.ts';
import { benchMemory, distinctIntrospections, distinctOperations, memoryTable } from './memory.ts';
import { benchReadingJson, readingJsonTable, readsWithinLimits } from './reading-json.ts';
import { benchRemote, remoteTable } from './remoting.ts';
import { goalTable, resultTable } from './results.ts';
import type { BenchOptions } from './rounds.ts';
import { benchEndpoints, benchRouting, routingTable } from './routing.ts';
import { FIGURES } from './scale/figures.ts';
import { scaleTables } from './scale/table.ts';
import { benchCached, benchServing } from './serving.ts';
import { benchStarting, startTable } from './starting.ts';
import { benchSwap } from './swap.ts';
import { generatedProject, sharedSwapProject } from './swap-project.ts';
import { measureStages, stageTable } from './swap-stages.ts';
import { benchReads, benchWrites, switchTable } from './switched.ts';
import { benchTracing, tracingTable } from './tracing.ts';
import { benchWorkers, workersTable } from './workers.ts';
import { benchWriting, writeTable } from './writing.ts';

const progress = (text: string) => process.stderr.write(`${text}\n`);

const program = new Command('npm run bench --')
  .description('Measure Engine beside hand-written servers. Every figure is a ratio within one run.')
  .option('--json <file>', 'also write the results as JSON')
  .option(
    '--busy',
    'keep every core busy with another program while measuring: about half of the machine is left',
  )
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(npm run bench -- --help lists the benchmarks and their options)')
  .addHelpText(
    'after',
    `
Without a command, serve is run; it takes less than five minutes. Each benchmark starts an embedded PostgreSQL of its own and stops
everything that it started. docs/benchmarks.md says what the figures mean.

Examples:
  npm run bench
  npm run bench -- serve --case "by key" --connections 16
  npm run bench -- start --busy --json start.json`,
  );

const against = new Option(
  '--against <folder>',
  'measure the server of another checkout in the same rounds, too',
);
const load = (name: string, description: string, only = '') =>
  program
    .command(name, { isDefault: name === 'serve' })
    .description(description)
    .option('--case <text>', 'only cases with this text in their names', only)
    .option('--connections <list>', 'numbers of connections that ask at once', '1,16,64')
    .option('--rounds <number>', 'rounds of each server; the median counts', '5')
    .option('--seconds <number>', 'duration of each round', '0.4');

load('serve', 'measure requests per second of reads, beside two floors (the default)')
  .addOption(against)
  .option('--first', 'instead, functions called and time of the first plan of each read')
  .action(async (options: LoadOptions & { first?: true }) => {
    if (options.first) {
      const plans = await benchFirst(read(options));
      return publish(firstTable(plans), { plans });
    }
    const cases = await benchServing(read(options));
    publish(resultTable(cases), { cases });
  });
load('cached', 'measure reads that are answered from memory, beside the same floors', 'by key').action(
  async (options: LoadOptions) => {
    const cases = await benchCached(read(options));
    publish(resultTable(cases), { cases });
  },
);
load('write', 'measure requests per second of mutations').action(async (options: LoadOptions) => {
  const writes = await benchWriting(read(options));
  publish(writeTable(writes), { writes });
});
load('routes', 'measure REST endpoints, and finding one among 20 and among 2,000')
  .addOption(against)
  .action(async (options: LoadOptions) => {
    const routing = benchRouting();
    const cases = await benchEndpoints(read(options));
    publish(`${resultTable(cases)}\n\n${routingTable(routing)}`, { cases, routing });
  });
load('logs', 'measure what http-log costs: the server with it and without', 'by key').action(
  async (options: LoadOptions) => {
    const logs = await benchReads({ on: {}, off: { enabledLogTypes: 'startup' } }, read(options));
    publish(switchTable('http-log', logs), { logs });
  },
);
load('metrics', 'measure what metrics cost: the server with them and without').action(
  async (options: LoadOptions) => {
    const compared = { on: { enabledApis: 'metadata,graphql,metrics' }, off: {} };
    const metrics = [
      ...(await benchReads(compared, read(options))),
      ...(await benchWrites(compared, read(options))),
    ];
    publish(switchTable('metrics', metrics), { metrics });
  },
);
load('tracing', 'measure what traces cost: the server with them and without', 'by key').action(
  async (options: LoadOptions) => {
    const tracing = await benchTracing(read(options));
    publish(tracingTable(tracing), { tracing });
  },
);
load('actions', 'measure calls of action handlers, beside a proxy written by hand').action(
  async (options: LoadOptions) => {
    const actions = await benchActions(read(options));
    publish(actionTable(actions), { actions });
  },
);
load('remote', 'measure remote schemas and joins, beside servers written by hand and other gateways')
  .option('--no-gateways', 'leave out other gateways, which are installed on first use (500 MB)')
  .action(async (options: LoadOptions & { gateways: boolean }) => {
    const remote = await benchRemote(read(options), options.gateways);
    publish(remoteTable(remote), { remote });
  });
program
  .command('start')
  .description('measure the start until the first answer, a change right after, and memory under load')
  .option('--rounds <number>', 'starts of each server; the median counts', '5')
  .action(async ({ rounds }: { rounds: string }) => {
    const starts = await benchStarting(Number(rounds), progress);
    publish(startTable(starts), { starts });
  });
program
  .command('console')
  .description('measure the console with 1,749 tables by 94 roles, and 100,000 rows, in Chromium')
  .action(async () => {
    const figures = await benchConsole(progress);
    publish(consoleTable(figures), { console: figures });
  });
program
  .command('compile')
  .description('measure time and memory of a compile, in process and of the command')
  .action(async () => {
    const results = await benchCompiling(progress);
    publish(compileTable(results), results);
  });
program
  .command('growth')
  .description('measure the same work at three sizes: compiles, requests, what is served, reading a catalog')
  .option('--case <text>', 'only cases with this text in their names')
  .action(async ({ case: only }: { case?: string }) => {
    const growth = await benchGrowth(progress, only);
    publish(growthTable(growth), { growth });
  });
program
  .command('workers')
  .description('measure requests to one process and to several in turns')
  .option('--workers <number>', 'number of workers', '2')
  .action(async ({ workers }: { workers: string }) => {
    const costs = await benchWorkers(Number(workers), progress);
    publish(workersTable(costs), { costs });
  });
program
  .command('scale')
  .description(
    'print what a number of clients needs, from the figures of docs/benchmarks.md; measures nothing',
  )
  .action(() => {
    const tables = Object.values(scaleTables).map((table) => table());
    publish(tables.join('\n\n'), { figures: FIGURES });
  });
program
  .command('swap')
  .description('measure changes of a permission while the server answers')
  .option('--project <name>', 'one of the shared projects')
  .option('--tables <number>', 'number of generated tables, without --project', '1000')
  .option('--swaps <number>', 'number of changes', '1000')
  .action(async ({ project, tables, swaps }: { project?: string; tables: string; swaps: string }) => {
    const swapped = project === undefined ? generatedProject(Number(tables)) : sharedSwapProject(project);
    const stages = await measureStages(swapped);
    const swap = await benchSwap(swapped, Number(swaps));
    publish(`${stageTable(stages)}\n\n${JSON.stringify(swap, null, 2)}`, { swap, stages });
  });
program
  .command('live')
  .description('measure live queries and streams, beside programs that poll; takes less than five minutes')
  .option('--queries <number>', 'live queries, streams and sockets: a multiple of 100', '4000')
  .option('--only <list>', 'only these measures: L1,L5,floors', '')
  .action(async ({ queries, only }: { queries: string; only: string }) => {
    const live = await benchLive({
      queries: Number(queries),
      only: only.split(',').filter(Boolean),
      progress,
    });
    publish(goalTable(live), { live });
  });
program
  .command('events')
  .description(
    'measure the delivery of events, beside graphile-worker and pg-boss, which are installed for it',
  )
  .option('--only <list>', 'only these measures: E1,E5', '')
  .action(async ({ only }: { only: string }) => {
    const events = await benchEvents(only.split(',').filter(Boolean), progress);
    publish(goalTable(events), { events });
  });
program
  .command('memory')
  .description(
    'measure memory under hostile operations, and what reading JSON exactly costs beside JSON.parse',
  )
  .option('--operations <number>', 'number of operations', '20000')
  .option('--introspections <number>', 'number of introspections of 200 tables in 20 roles, instead')
  .addOption(new Option('--only <part>', 'only this part').choices(['reading', 'large', 'operations']))
  .action(async ({ operations, introspections, only }: MemoryOptions) => {
    if (only === 'large') {
      const large = await benchLargeRequests(progress);
      if (!servesWithinLimits(large)) process.exitCode = 1;
      return publish(largeTable(large), { large });
    }
    const reading = only === 'operations' ? [] : benchReadingJson(progress);
    if (!readsWithinLimits(reading)) process.exitCode = 1;
    if (only === 'reading') return publish(readingJsonTable(reading), { reading });
    const memory = await (introspections === undefined
      ? benchMemory(distinctOperations(), Number(operations), progress)
      : benchMemory(distinctIntrospections(), Number(introspections), progress));
    const tables = [...(reading.length > 0 ? [readingJsonTable(reading)] : []), memoryTable(memory)];
    publish(tables.join('\n\n'), { memory, reading });
  });
program.hook('preAction', () => {
  if (program.opts<{ busy?: true }>().busy) keepBusy();
});

await program.parseAsync();
// The embedded PostgreSQL is stopped by now; nothing else is waited for.
process.exit();

interface MemoryOptions {
  readonly operations: string;
  readonly introspections?: string;
  readonly only?: 'reading' | 'large' | 'operations';
}

interface LoadOptions {
  readonly case: string;
  readonly connections: string;
  readonly against?: string;
  readonly rounds: string;
  readonly seconds: string;
}

function read({ case: only, connections, against, rounds, seconds }: LoadOptions): BenchOptions {
  return {
    connections: connections.split(',').map(Number),
    rounds: Number(rounds),
    seconds: Number(seconds),
    only,
    against,
    progress,
  };
}

function publish(table: string, results: object): void {
  process.stdout.write(`${table}\n`);
  const { json } = program.opts<{ json?: string }>();
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
}
