/**
 * `npm run bench` measures reads, `-- write` mutations, `-- routes` REST endpoints, `-- compile` compiling, `-- swap` changes
 * while it serves, `-- live` live queries, `-- memory` what hostile operations leave behind; see docs/benchmarks.md. Results
 * go to standard output, and with `--json FILE` to a file as well; progress is shown on standard error.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCompiling, compileTable } from './compiling.ts';
import { benchLive, liveTable } from './live.ts';
import { benchMemory, memoryTable } from './memory.ts';
import { resultTable } from './results.ts';
import { benchEndpoints, benchRouting, routingTable } from './routing.ts';
import { benchServing } from './serving.ts';
import { benchSwap } from './swap.ts';
import { generatedProject, sharedSwapProject } from './swap-project.ts';
import { measureStages, stageTable } from './swap-stages.ts';
import { benchWriting, writeTable } from './writing.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Where to write the results, besides the table. */
    json: { type: 'string' },
    /** Only cases with this text in their names. */
    case: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,16,64' },
    rounds: { type: 'string', default: '5' },
    /** Of each round. */
    seconds: { type: 'string', default: '0.7' },
    /** Of `swap`: one of the shared projects, or so many generated tables. */
    project: { type: 'string' },
    tables: { type: 'string', default: '1000' },
    swaps: { type: 'string', default: '1000' },
    /** Of `live`. */
    queries: { type: 'string', default: '10000' },
    /** Of `memory`. */
    operations: { type: 'string', default: '20000' },
  },
});

const progress = (text: string) => process.stderr.write(`${text}\n`);

const serving = {
  connections: values.connections.split(',').map(Number),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  only: values.case,
  progress,
};

switch (positionals[0] ?? 'serve') {
  case 'serve': {
    const cases = await benchServing(serving);
    publish(resultTable(cases), { cases });
    break;
  }
  case 'write': {
    const writes = await benchWriting(serving);
    publish(writeTable(writes), { writes });
    break;
  }
  case 'routes': {
    const routing = benchRouting();
    const cases = await benchEndpoints(serving);
    publish(`${resultTable(cases)}\n\n${routingTable(routing)}`, { cases, routing });
    break;
  }
  case 'compile': {
    const projects = await benchCompiling(progress);
    publish(compileTable(projects), { projects });
    break;
  }
  case 'live': {
    const live = await benchLive(Number(values.queries), progress);
    publish(liveTable(live), { live });
    break;
  }
  case 'memory': {
    const memory = await benchMemory(Number(values.operations), progress);
    publish(memoryTable(memory), { memory });
    break;
  }
  case 'swap': {
    const project = values.project
      ? sharedSwapProject(values.project)
      : generatedProject(Number(values.tables));
    const stages = await measureStages(project);
    const result = await benchSwap(project, Number(values.swaps));
    publish(`${stageTable(stages)}\n\n${JSON.stringify(result, null, 2)}`, { swap: result, stages });
    break;
  }
  default:
    progress(
      `There is no benchmark called ${positionals[0]}: choose serve (which may be left out), write, routes, compile, live, memory or swap.`,
    );
    process.exitCode = 2;
}

function publish(table: string, results: object): void {
  process.stdout.write(`${table}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}
