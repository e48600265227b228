/**
 * Where the time of a swap goes: the steps of one change of a permission, one after the other in this thread, by CPU time,
 * which a busy machine changes least.
 */

import { type CompileResult, compile } from '../../compiler/index.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { linkProgram, type Program } from '../../runtime/core/program/program.ts';
import { createPlanner, forgetOtherSchemas, type Planner } from '../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import type { Metadata, TableEntry } from '../../runtime/metadata/metadata.ts';
import { emptyMetadata } from '../../runtime/metadata/metadata.ts';
import { withTable } from '../../runtime/metadata-api/change/edit.ts';
import { storedChange } from '../../runtime/metadata-api/store/stored-change.ts';
import { createEvaluator, type TranspiledFiles } from '../../runtime/program/evaluator.ts';
import { createTranspiler } from '../../runtime/program/loader.ts';
import { alignedTable, median } from './results.ts';
import { type SwapProject, swappedPermission } from './swap-project.ts';

export interface Stage {
  readonly name: string;
  /** Milliseconds of CPU time: the first program, and the median and the highest of the changes. */
  readonly first: number;
  readonly median: number;
  readonly most: number;
}

const CHANGES = 20;
const OPTIONS = { inferFunctionPermissions: true, stringifyNumbers: false, collapseNulls: false };

/** Measures the steps of a change. The first ones warm up. */
export async function measureStages(project: SwapProject): Promise<readonly Stage[]> {
  const times = new Map<string, number[]>();
  const timed = async <Value>(name: string, run: () => Value | Promise<Value>): Promise<Value> => {
    const begin = process.cpuUsage();
    const value = await run();
    const { user, system } = process.cpuUsage(begin);
    times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
    return value;
  };
  const swapped = swappedPermission(project);
  const document = { version: 3, sources: [{ name: 'default', ...EMPTY_SOURCE, tables: project.tables }] };
  let metadata: Metadata = readMetadata(document).value;
  const catalogs = { default: await catalogOf(project, metadata) };
  const { schema, name } = swapped.table as { schema: string; name: string };
  const table = { schema, name };
  const removed = metadata.sources[0]!.tables.find(
    (entry) => entry.table.schema === schema && entry.table.name === name,
  )!.select_permissions.find(({ role }) => role === swapped.role)!;
  const transpiler = createTranspiler();
  const evaluator = createEvaluator();
  let stored: Metadata = emptyMetadata;
  let compiled: CompileResult | undefined;
  let sent: TranspiledFiles = new Map();
  let program: Program | undefined;
  let planner: Planner | undefined;
  for (let round = 0; round <= CHANGES; round += 1) {
    const drops = round % 2 === 1;
    const others = ({ select_permissions: all }: TableEntry) =>
      all.filter(({ role }) => role !== swapped.role);
    if (round > 0) {
      metadata = withTable(metadata, 'default', table, (entry) => ({
        ...entry,
        select_permissions: drops ? others(entry) : [...others(entry), removed],
      }));
    }
    compiled = await timed('resolve', () => compile({ metadata, catalogs }, compiled));
    const { files } = await timed('plan and emit', () => ({ files: compiled!.programFiles }));
    const transpiled = await timed('transpile', () => transpiler.transpile(files));
    const changed = await timed(
      'compare',
      () => new Map([...transpiled].filter(([path, file]) => sent.get(path) !== file)),
    );
    await timed('send', () => structuredClone(changed));
    sent = transpiled;
    const generated = await timed('evaluate', () => evaluator.evaluate(transpiled));
    program = await timed('link', () => linkProgram(generated, OPTIONS, program));
    planner = createPlanner(program, OPTIONS, undefined, planner);
    await timed('forget', () => forgetOtherSchemas(planner!));
    await timed('first request', () => {
      const role = drops ? 'admin' : swapped.role;
      const session = { vocabulary: CANONICAL, role, backendOnly: false, variables: {} };
      return planner!.plan(session, { query: swapped.query });
    });
    await timed('describe what is stored', () => storedChange(stored, metadata));
    stored = metadata;
  }
  return [...times].map(([stage, [first, ...rest]]) => ({
    name: stage,
    first: first!,
    median: median(rest.slice(2)),
    most: Math.max(...rest.slice(2)),
  }));
}

/** The stages as aligned lines. */
export function stageTable(stages: readonly Stage[]): string {
  const sum = (pick: (stage: Stage) => number) => stages.reduce((total, stage) => total + pick(stage), 0);
  return alignedTable([
    ['stage (CPU ms)', 'first', 'median', 'most'],
    ...stages.map((stage) => [
      stage.name,
      stage.first.toFixed(1),
      stage.median.toFixed(2),
      stage.most.toFixed(2),
    ]),
    ['all', sum(({ first }) => first).toFixed(1), sum((stage) => stage.median).toFixed(2), ''],
  ]);
}

const EMPTY_SOURCE = {
  kind: 'postgres',
  configuration: { connection_info: { database_url: 'postgres://localhost/unused' } },
};

async function catalogOf(project: SwapProject, metadata: Metadata) {
  const postgres = await startEmbeddedPostgres();
  try {
    const databaseUrl = await postgres.createDatabase('stages');
    await project.fill(databaseUrl);
    const enums = metadata.sources[0]!.tables.filter(({ is_enum }) => is_enum).map((entry) => entry.table);
    return await readDatabase({ connectionString: databaseUrl }, enums);
  } finally {
    await postgres.stop();
  }
}
