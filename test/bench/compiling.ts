/** Compile times and peak memory: a small project, and a huge one. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { PROJECTS } from '../harness/public-cases.ts';
import type { CompileMeasurement, CompileTask } from './compile-process.ts';
import { benchOffline, type OfflineResult, offlineTable } from './offline.ts';
import { createProjectDatabase, type Project, servedProject, sharedProject } from './project.ts';
import { alignedTable, median } from './results.ts';

interface CompileResult extends CompileMeasurement {
  readonly name: string;
}

/** Compiles of each project; the median of each number counts. */
const ROUNDS = 3;

export interface CompileResults {
  /** In this process, step by step. */
  readonly projects: readonly CompileResult[];
  /** Of the command; empty without the shared projects. */
  readonly offline: readonly OfflineResult[];
}

/** Measures on an embedded PostgreSQL of its own. */
export async function benchCompiling(progress: (text: string) => void): Promise<CompileResults> {
  const huge = existsSync(`${PROJECTS}/huge-schema`) ? [sharedProject('huge-schema')] : [];
  const postgres = await startEmbeddedPostgres();
  try {
    const projects: CompileResult[] = [];
    const offline: OfflineResult[] = [];
    for (const project of [servedProject(), ...huge]) {
      progress(`${project.name}: loading the database`);
      const databaseUrl = await createProjectDatabase(project, postgres);
      const rounds: CompileMeasurement[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        progress(`${project.name}: compile ${round} of ${ROUNDS}`);
        rounds.push(await measureCompile(project, databaseUrl));
      }
      projects.push({ name: project.name, ...medians(rounds) });
      if (huge.includes(project)) offline.push(...(await benchOffline(project.name, databaseUrl, progress)));
    }
    return { projects, offline };
  } finally {
    await postgres.stop();
  }
}

function measureCompile({ name, metadata }: Project, databaseUrl: string): Promise<CompileMeasurement> {
  const child = fork(fileURLToPath(new URL('compile-process.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
  });
  child.send({ metadata, databaseUrl } satisfies CompileTask);
  return new Promise((resolve, reject) => {
    child.once('message', (measurement: CompileMeasurement) => resolve(measurement));
    child.once('exit', (code) => reject(new Error(`the compile of ${name} ended with status ${code}`)));
  });
}

function medians(rounds: readonly CompileMeasurement[]): CompileMeasurement {
  const keys = Object.keys(rounds[0]!) as (keyof CompileMeasurement)[];
  const entries = keys.map((key) => [key, median(rounds.map((round) => round[key]))]);
  return Object.fromEntries(entries) as CompileMeasurement;
}

/** One column a project; below it the command. */
export function compileTable({ projects: results, offline }: CompileResults): string {
  const rows: [string, (result: CompileResult) => string][] = [
    ['', ({ name }) => name],
    ['tracked tables', ({ tables }) => String(tables)],
    ['generated files', ({ files, bytes }) => `${files} (${(bytes / 1e6).toFixed(2)} MB)`],
    ['read metadata', ({ read }) => milliseconds(read)],
    ['introspect', ({ introspect }) => milliseconds(introspect)],
    ['compile', ({ compile }) => milliseconds(compile)],
    ['load', ({ load }) => milliseconds(load)],
    ['compile, one permission changed', ({ compileChange }) => milliseconds(compileChange)],
    ['load, one permission changed', ({ loadChange }) => milliseconds(loadChange)],
    ['peak memory of the process', ({ peakMemory }) => `${peakMemory.toFixed(0)} MB`],
    ['check types (command line only)', ({ checkTypes }) => milliseconds(checkTypes)],
    ['peak memory with types checked', ({ peakMemoryWithTypes }) => `${peakMemoryWithTypes.toFixed(0)} MB`],
  ];
  const steps = alignedTable(rows.map(([label, cell]) => [label, ...results.map(cell)]));
  return offline.length === 0 ? steps : `${steps}\n\n${offlineTable(offline)}`;
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
