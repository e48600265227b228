/**
 * `npm run bench -- start`: how long the built server and a built artefact take until they answer, how long the first change
 * of the metadata takes right after, and the memory of both under load. The floor is bare node:http and `pg`.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { freePort } from '../harness/free-port.ts';
import type { BenchCase } from './cases.ts';
import { fetchOnce, generateLoad } from './load.ts';
import { buildPackage, runProcess, startProcess, stopProcess, usageOf } from './processes.ts';
import { createProjectDatabase, type Project, servedProject } from './project.ts';
import { alignedTable, median } from './results.ts';
import { graphqlRequests } from './rounds.ts';

/** Times in milliseconds, memory in megabytes (10⁶ bytes). Medians of the rounds. */
export interface StartResult {
  readonly name: string;
  /** From the start of the process to its first answer. */
  readonly answer: number;
  /** The same in relation to the floor. */
  readonly ratio: number;
  /** CPU time until then. */
  readonly cpu: number;
  /** Resident memory at the first answer. */
  readonly memory: number;
  /** A change of a permission that is sent right after the first answer. */
  readonly change?: number;
  /** Resident memory under load of 16 connections: at its end, and at its highest. */
  readonly loaded?: number;
  readonly peak?: number;
}

interface Started {
  readonly name: string;
  readonly args: readonly string[];
  readonly serves: 'metadata' | 'code' | 'nothing';
}

/** Seconds of load before memory is read. */
const LOAD_TIME = 5;
const CONNECTIONS = 16;

/** Measures on an embedded PostgreSQL of its own. Builds the package first. */
export async function benchStarting(
  rounds: number,
  progress: (text: string) => void,
): Promise<StartResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  progress('building the package');
  const engine = buildPackage(folder);
  const project = servedProject();
  const postgres = await startEmbeddedPostgres();
  try {
    const databaseUrl = await createProjectDatabase(project, postgres);
    const environment = {
      ...project.environment,
      ENGINE_GRAPHQL_DATABASE_URL: databaseUrl,
      ENGINE_GRAPHQL_METADATA_DATABASE_URL: await postgres.createDatabase('metadata'),
      ENGINE_GRAPHQL_SERVER_PORT: String(await freePort()),
    };
    const address = `http://127.0.0.1:${environment.ENGINE_GRAPHQL_SERVER_PORT}`;
    const artefact = join(folder, 'artefact');
    progress('building the artefact');
    const source = ['--source', `default=${databaseUrl}`];
    await runProcess([engine, 'build', '--metadata', project.metadata, ...source, '--out', artefact]);
    progress('storing the metadata');
    await storeMetadata([engine, 'serve'], environment, address, project);
    const floor = new URL('servers/start-floor.mjs', import.meta.url).pathname;
    const results: StartResult[] = [];
    const measured: readonly Started[] = [
      { name: 'floor', args: [floor], serves: 'nothing' },
      { name: 'engine serve', args: [engine, 'serve'], serves: 'metadata' },
      { name: 'artefact', args: [join(artefact, 'server.mjs')], serves: 'code' },
    ];
    const all = new Map(measured.map((each): [Started, Partial<StartResult>[]] => [each, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const [each, found] of all) {
        progress(`${each.name}: start ${round} of ${rounds}`);
        found.push(await measureStart(each, environment, address, project, round === rounds));
      }
    }
    const floorTime = medianOf(all.get(measured[0]!)!, 'answer')!;
    for (const [{ name }, found] of all) {
      const value = (key: keyof StartResult) => medianOf(found, key);
      results.push({
        name,
        answer: value('answer')!,
        ratio: value('answer')! / floorTime,
        cpu: value('cpu')!,
        memory: value('memory')!,
        ...Object.fromEntries(
          (['change', 'loaded', 'peak'] as const).flatMap((key) =>
            value(key) === undefined ? [] : [[key, value(key)]],
          ),
        ),
      });
    }
    return results;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStart(
  { args, serves }: Started,
  environment: Record<string, string>,
  address: string,
  project: Project,
  withLoad: boolean,
): Promise<Partial<StartResult>> {
  const [bench] = project.cases as readonly [BenchCase];
  const [request] = graphqlRequests(bench, '/v1/graphql');
  const begin = performance.now();
  const child = startProcess(args, environment);
  try {
    await firstAnswer(child, address, request!.body!, request!.headers);
    const answer = performance.now() - begin;
    const { cpu, memory } = await usageOf(child);
    const change = serves === 'metadata' ? await timeChange(address, project) : undefined;
    const started = { answer, cpu, memory, ...(change !== undefined && { change }) };
    if (!withLoad || serves === 'nothing') return started;
    await load(bench, Number(environment.ENGINE_GRAPHQL_SERVER_PORT));
    const loaded = await usageOf(child);
    return { ...started, loaded: loaded.memory, peak: loaded.peakMemory };
  } finally {
    await stopProcess(child);
  }
}

async function load(bench: BenchCase, port: number): Promise<void> {
  const requests = graphqlRequests(bench, '/v1/graphql');
  const lengths: number[] = [];
  for (const request of requests) lengths.push(Buffer.byteLength(await fetchOnce(port, request)));
  await generateLoad(port, requests, lengths, CONNECTIONS, LOAD_TIME);
}

/** Asks until there is an answer with data. */
export async function firstAnswer(
  child: ChildProcess,
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  while (child.exitCode === null) {
    try {
      const answer = await fetch(`${address}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      if ((await answer.text()).startsWith('{"data":')) return;
    } catch {
      // It does not listen yet.
    }
    await delay(2);
  }
  throw new Error(`a measured process ended with status ${child.exitCode}`);
}

async function timeChange(address: string, { metadata }: Project): Promise<number | undefined> {
  const permission = firstPermission(metadata);
  if (!permission) return undefined;
  const { table, role, permission: definition } = permission;
  const begin = performance.now();
  await change(address, 'pg_drop_select_permission', { source: 'default', table, role });
  const time = performance.now() - begin;
  const args = { source: 'default', table, role, permission: definition };
  await change(address, 'pg_create_select_permission', args);
  return time;
}

interface Permission {
  readonly role: string;
  readonly permission: unknown;
}

/** Of metadata in one JSON file; undefined for a folder. */
function firstPermission(path: string): (Permission & { readonly table: unknown }) | undefined {
  if (!path.endsWith('.json')) return undefined;
  const { sources } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly sources: readonly { tables: { table: unknown; select_permissions?: Permission[] }[] }[];
  };
  for (const { table, select_permissions: permissions = [] } of sources[0]!.tables)
    for (const permission of permissions) return { table, ...permission };
  return undefined;
}

/** Stores a project's metadata in the metadata database by a server that is started for it. */
export async function storeMetadata(
  args: readonly string[],
  environment: Record<string, string>,
  address: string,
  { metadata }: Project,
): Promise<void> {
  const child = startProcess(args, environment);
  try {
    await firstAnswer(child, address, '{"query":"{ __typename }"}', {});
    const [engine] = args;
    await runProcess([engine!, 'metadata', 'apply', '--metadata', metadata, '--endpoint', address]);
  } finally {
    await stopProcess(child);
  }
}

async function change(address: string, type: string, args: unknown): Promise<void> {
  const body = JSON.stringify({ type, args });
  const answer = await fetch(`${address}/v1/metadata`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`${type}: ${await answer.text()}`);
}

function medianOf(found: readonly Partial<StartResult>[], key: keyof StartResult): number | undefined {
  const values = found.flatMap((each) => (typeof each[key] === 'number' ? [each[key]] : []));
  return values.length === 0 ? undefined : median(values);
}

export function startTable(results: readonly StartResult[]): string {
  const header = ['', 'answers ms', 'ratio', 'CPU ms', 'MB', 'change ms', 'MB under load', 'MB peak'];
  const shown = (value: number | undefined) => value?.toFixed(0) ?? '';
  const rows = results.map(({ name, answer, ratio, cpu, memory, change, loaded, peak }) => [
    name,
    ...[answer].map(shown),
    ratio.toFixed(1),
    ...[cpu, memory, change, loaded, peak].map(shown),
  ]);
  return alignedTable([header, ...rows]);
}
