/**
 * What several workers cost and bring: processor time of one request with one process and with several, measured in turns.
 * Requests that need no database measure the processes alone. Linux only.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { fetchOnce, generateLoad, type LoadRequest } from './load.ts';
import { buildPackage } from './processes.ts';
import { alignedTable } from './results.ts';
import { type ServerProcess, startServerProcess } from './server.ts';

const ROUNDS = 4;
const SECONDS = 3;
const CONNECTIONS = 16;
/** Milliseconds of a tick in /proc. */
const TICK = 10;

const REQUESTS = { 'no database': '{ __typename }', 'by key': '{ item_by_pk(id: 7) { id name } }' };

export interface WorkersCost {
  readonly name: string;
  readonly workers: number;
  /** Microseconds of processor time of a request, of all processes: the least of all rounds. */
  readonly time: number;
  /** Requests a second: the most of all rounds. */
  readonly rate: number;
}

/** Measures on an embedded PostgreSQL, with a package that is built first. */
export async function benchWorkers(
  workers: number,
  progress: (text: string) => void,
): Promise<readonly WorkersCost[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const servers: ServerProcess[] = [];
  const postgres = await startEmbeddedPostgres();
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      "create table item (id int primary key, name text); insert into item select n, 'item ' || n from generate_series(1, 1000) n",
    );
    await client.end();
    progress('building');
    const program = buildPackage(folder);
    const numbers = [1, workers];
    for (const number of numbers) {
      progress(`starting ${number} of ${workers}`);
      const environment = { WORKERS: String(number), PG_CONNECTIONS: '16' };
      servers.push(await startServerProcess(postgres.url, [], { program, environment }));
    }
    await fetchOnce(
      servers[0]!.port,
      requestOf('/v1/metadata', { type: 'pg_track_table', args: { table: 'item' } }),
    );
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const costs: WorkersCost[] = [];
    for (const [name, query] of Object.entries(REQUESTS)) {
      const request = requestOf('/v1/graphql', { query });
      const best = numbers.map(() => ({ time: Number.POSITIVE_INFINITY, rate: 0 }));
      // The first round warms up.
      for (let round = 0; round <= ROUNDS; round += 1)
        for (const [index, { port, child }] of servers.entries()) {
          progress(`${name}: round ${round} with ${numbers[index]}`);
          const answer = await fetchOnce(port, request);
          if (answer.includes('"errors"')) throw new Error(answer);
          const expected = Buffer.byteLength(answer);
          const before = processorTime(child.pid!);
          const load = await generateLoad(port, [request], [expected], CONNECTIONS, SECONDS);
          const time = (1000 * (processorTime(child.pid!) - before)) / load.requests;
          if (round === 0) continue;
          const { time: least, rate } = best[index]!;
          best[index] = { time: Math.min(least, time), rate: Math.max(rate, load.requests / load.seconds) };
        }
      costs.push(...best.map((each, index) => ({ name, workers: numbers[index]!, ...each })));
    }
    return costs;
  } finally {
    for (const { child } of servers) child.kill('SIGTERM');
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

export function workersTable(costs: readonly WorkersCost[]): string {
  const one = new Map(costs.filter(({ workers }) => workers === 1).map((cost) => [cost.name, cost]));
  return alignedTable([
    ['request', 'workers', 'CPU µs', 'ratio', 'requests/s', 'ratio'],
    ...costs.map(({ name, workers, time, rate }) => [
      name,
      String(workers),
      time.toFixed(0),
      (time / one.get(name)!.time).toFixed(2),
      rate.toFixed(0),
      (rate / one.get(name)!.rate).toFixed(2),
    ]),
  ]);
}

function requestOf(path: string, body: object): LoadRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Processor time of a process and its children (ms). */
function processorTime(pid: number): number {
  let ticks = 0;
  for (const each of readdirSync('/proc')) {
    if (!/^\d+$/.test(each)) continue;
    try {
      const text = readFileSync(`/proc/${each}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(each) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }
  return ticks * TICK;
}
