/** `engine compile` of the built package without a database: from a saved catalog, and from migrations with every SQL text proved. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PROJECTS } from '../harness/public-cases.ts';
import { buildPackage, runProcess, type Usage } from './processes.ts';
import { alignedTable, median } from './results.ts';

/** Times in milliseconds, memory in megabytes; medians of the rounds. */
export interface OfflineResult extends Pick<Usage, 'cpu' | 'peakMemory'> {
  readonly name: string;
  readonly time: number;
}

const ROUNDS = 3;

/** @param project a shared project with one database */
export async function benchOffline(
  project: string,
  databaseUrl: string,
  progress: (text: string) => void,
): Promise<OfflineResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  try {
    progress('building the package');
    const engine = buildPackage(folder);
    const metadata = ['--metadata', `${PROJECTS}/${project}/metadata.json`];
    const catalog = join(folder, 'catalog.json');
    await runProcess([
      engine,
      'introspect',
      ...metadata,
      '--source',
      `default=${databaseUrl}`,
      '--out',
      catalog,
    ]);
    const migrations = writeMigrations(project, folder);
    // Some projects hold relationships that PostgreSQL refuses.
    const compile = [
      engine,
      'compile',
      ...metadata,
      '--allow-inconsistent',
      '--out',
      join(folder, 'generated'),
    ];
    const commands = [
      ['saved catalog', [...compile, '--catalog', catalog]],
      ['migrations, proved', [...compile, '--migrations', migrations]],
    ] as const;
    const results: OfflineResult[] = [];
    for (const [name, args] of commands) {
      const rounds: (Usage & { time: number })[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        progress(`${project}, ${name}: compile ${round} of ${ROUNDS}`);
        rounds.push(await runProcess(args, [0, 1]));
      }
      const of = (key: 'time' | 'cpu' | 'peakMemory') => median(rounds.map((each) => each[key]));
      results.push({
        name: `${project}, ${name}`,
        time: of('time'),
        cpu: of('cpu'),
        peakMemory: of('peakMemory'),
      });
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Migrations of the project's dump. */
function writeMigrations(project: string, folder: string): string {
  const migrations = join(folder, 'migrations');
  mkdirSync(migrations);
  const dumps = `${PROJECTS}/${project}/sql/default`;
  for (const name of readdirSync(dumps)) {
    const bytes = readFileSync(join(dumps, name));
    const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    writeFileSync(join(migrations, name.replace(/\.gz$/, '')), text);
  }
  return migrations;
}

export function offlineTable(results: readonly OfflineResult[]): string {
  const rows = results.map(({ name, time, cpu, peakMemory }) => [
    name,
    ...[time, cpu, peakMemory].map((value) => value.toFixed(0)),
  ]);
  return alignedTable([['engine compile', 'ms', 'CPU ms', 'MB peak'], ...rows]);
}
