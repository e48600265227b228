/**
 * `npm run bench -- live`: what live queries cost and how soon they tell, each figure beside its goal and beside programs that
 * poll. Servers and programs are processes of their own; clients and the writer are this one.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { captureStatus, installCapture } from '../../../runtime/capture/install.ts';
import { startEmbeddedPostgres } from '../../../runtime/database/embedded.ts';
import { buildPackage } from '../processes.ts';
import { type ServerProcess, startServerProcess } from '../server.ts';
import { Clients } from './clients.ts';
import { cpuOf, Database, type LiveFigure, memoryOf, percent, percentiles } from './measure.ts';

const SCHEMA = `create table item (id int primary key, n int not null default 0, filler text not null);
  insert into item select i, 0, repeat('x', 100) from generate_series(1, 10000) as i;
  create table plain_item (like item including all); insert into plain_item select * from item;
  create table big (id int primary key, text text not null); insert into big values (1, repeat('y', 1000));
  create table entry (id bigserial primary key, at timestamptz not null default clock_timestamp());
  create view slow_item as select id, n, pg_sleep(2)::text as slept from item where id = 1; analyze;`;

const ITEM = (index: number) => `item_by_pk(id: ${index + 1}) { n }`;

/** Runs all measurements, in less than five minutes. @param queries how many live queries, each with a value of its own */
export async function benchLive(queries: number, progress: (text: string) => void): Promise<LiveFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-live-'));
  const cluster = await startEmbeddedPostgres();
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  try {
    progress('Building the package');
    const program = buildPackage(folder);
    await client.query(SCHEMA);
    const bench = new Bench(cluster.url, new Database(client), queries, progress);
    const tracked = ['item', 'big', 'entry', 'slow_item'];
    await bench.withServer(program, async () => {
      for (const table of tracked)
        await bench.post('/v1/metadata', { type: 'pg_track_table', args: { table } });
      await bench.sockets();
    });
    await bench.withServer(program, async () => {
      await bench.idleAndAll();
      await bench.thousand();
      await bench.streams();
    });
    const names = tracked.map((name) => ({ schema: 'public', name }));
    await installCapture(client, await captureStatus(client, names));
    await bench.writer('no server listens', 'nothing, ≤ 5 %');
    await bench.withServer(program, async () => {
      await bench.recorded();
    });
    await bench.floor('each', 1000);
    await bench.floor('batched', queries);
    return bench.figures;
  } finally {
    await client.end();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Bench {
  readonly figures: LiveFigure[] = [];
  readonly #url: string;
  readonly #database: Database;
  readonly #queries: number;
  readonly #progress: (text: string) => void;
  #server!: ServerProcess;
  #clients!: Clients;

  constructor(url: string, database: Database, queries: number, progress: (text: string) => void) {
    this.#url = url;
    this.#database = database;
    this.#queries = queries;
    this.#progress = progress;
  }

  async withServer(program: string, run: () => Promise<void>): Promise<void> {
    this.#server = await startServerProcess(this.#url, [], { program });
    this.#clients = new Clients(this.#server.port);
    try {
      await run();
    } finally {
      this.#server.child.kill('SIGKILL');
      await delay(500);
    }
  }

  get #pid(): number {
    return this.#server.child.pid!;
  }

  #note(what: string, value: string, goal = ''): void {
    this.figures.push({ what, value, goal });
    this.#progress(`${what}: ${value}${goal && ` (goal: ${goal})`}`);
  }

  /** L1 and L4. */
  async idleAndAll(): Promise<void> {
    const [clients, queries] = [this.#clients, this.#queries];
    await clients.subscribe(100, queries / 100, ITEM);
    await delay(2000);
    const idle = await this.#database.during(this.#pid, () => delay(5000));
    this.#note(
      `L1 ${queries} live queries, idle`,
      `${idle.statements.toFixed(1)} statements/s, ${percent(idle.cpu)} of a core, database ${percent(idle.database)}`,
      '≤ 20 statements/s, < 1 %, < 1 %',
    );
    const used = cpuOf(this.#pid);
    const began = performance.now();
    for (let round = 0; round < 3; round += 1) {
      const all = clients.next(queries);
      await this.#write('update item set n = n + 1 where id <= $1', [queries]);
      await all;
    }
    const [seconds, cpu] = [(performance.now() - began) / 1000, cpuOf(this.#pid) - used];
    this.#note(
      `L4 all ${queries} live queries change`,
      `${Math.round((3 * queries) / cpu)} results per second of the server's CPU time, ${Math.round((3 * queries) / seconds)}/s with writes and clients`,
      '≥ 5,000 per core',
    );
    await clients.close();
  }

  /** L2 without recorded writes, L11 and L8. */
  async thousand(): Promise<void> {
    const clients = this.#clients;
    await clients.subscribe(100, 10, ITEM);
    await delay(1000);
    const foreign = await this.#foreign(300);
    this.#note('L2 1,000 live queries, 100 foreign writes/s', foreign.text, 'p50 ≤ 70 ms, p99 ≤ 150 ms');
    const own = percentiles(await clients.latencies(300, 100, 1000, (index) => this.#mutate(index)));
    this.#note('L2 1,000 live queries, 100 mutations/s', own.text, 'p50 ≤ 5 ms');
    const other = new Clients(this.#server.port);
    await other.subscribe(1, 1, () => 'slow_item { slept }');
    const beside = await this.#foreign(300);
    this.#note(
      'L11 foreign writes beside a live query of 2 s',
      `${beside.text}; p99 ${(beside.p99 / foreign.p99).toFixed(2)} of that without`,
      'p99 ± 20 %',
    );
    await other.close();
    await this.#swaps();
    await clients.close();
  }

  async #swaps(): Promise<void> {
    const clients = this.#clients;
    let results = 0;
    clients.received = () => {
      results += 1;
    };
    const until = performance.now() + 30_000;
    let swaps = 0;
    for (; swaps < 1000 && performance.now() < until; swaps += 1)
      await this.post('/v1/metadata', {
        type: swaps % 2 ? 'pg_drop_select_permission' : 'pg_create_select_permission',
        args: {
          table: 'item',
          role: 'r',
          ...(swaps % 2 ? {} : { permission: { columns: '*', filter: {} } }),
        },
      });
    const before = clients.errors;
    await this.post('/v1/metadata', { type: 'pg_untrack_table', args: { table: 'item' } });
    await delay(500);
    this.#note(
      `L8 ${swaps} changes of the metadata under 1,000 live queries, then one that ends them`,
      `${clients.lost} sockets closed, ${results} results, ${before} errors, then ${clients.errors - before}`,
      '0 sockets, 0 results, 0 errors, then 1,000',
    );
    await this.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'item' } });
  }

  /** L5, L6 and L7. */
  async sockets(): Promise<void> {
    const [clients, count] = [this.#clients, this.#queries];
    const scans = () =>
      this.#database.number(
        "select seq_scan + coalesce(idx_scan, 0) from pg_stat_user_tables where relname = 'big'",
      );
    const before = memoryOf(this.#pid);
    await clients.subscribe(count, 1, () => 'big_by_pk(id: 1) { text }');
    await delay(3000);
    this.#note(
      `L6 ${count} sockets with one live query each, idle`,
      `${((memoryOf(this.#pid) - before) / count).toFixed(1)} kB per socket`,
      '≤ 15 kB',
    );
    const read = await scans();
    const used = cpuOf(this.#pid);
    const last = clients.next(count);
    await this.#write(`update big set text = repeat('z', 1000)`);
    const told = performance.now();
    await last;
    const [time, cpu] = [performance.now() - told, cpuOf(this.#pid) - used];
    await delay(3000);
    this.#note(
      `L5 one result of 1 kB for ${count} sockets`,
      `last message after ${Math.round(time)} ms, ${Math.round(count / cpu)} messages per second of CPU time, ${(await scans()) - read - 1} read`,
      'last ≤ 250 ms, ≥ 40,000 messages per core, 1 read',
    );
    await clients.close();
    await delay(1000);

    const request = async (): Promise<number> => {
      const began = performance.now();
      await this.post('/v1/graphql', { query: '{ item_by_pk(id: 7) { n } }' });
      return performance.now() - began;
    };
    const requests = async (isDone: () => boolean): Promise<number[]> => {
      const times: number[] = [];
      while (!isDone()) {
        times.push(await request());
        await delay(5);
      }
      return times;
    };
    const until = performance.now() + 3000;
    const alone = percentiles(await requests(() => performance.now() > until));
    let connections = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const sql = "select count(*) from pg_stat_activity where application_name = 'engine'";
        connections = Math.max(connections, await this.#database.number(sql));
        await delay(100);
      }
    })();
    const [storm, beside] = await Promise.all([
      clients
        .storm(count, count / 10, (index) => ITEM(index % 10_000))
        .finally(() => {
          isOver = true;
        }),
      requests(() => isOver),
    ]);
    await watch;
    this.#note(
      `L7 ${count} clients connect within 10 s`,
      `${storm.length} first results ${percentiles(storm).text}; ${connections} connections; ${clients.refused} tried again; other requests p99 ${(percentiles(beside).p99 / alone.p99).toFixed(1)} times that without`,
      'all, p99 ≤ 2,000 ms; ≤ 54 (50 of the pool and 4); 0; ≤ 2',
    );
    await clients.close();
  }

  /** L13. */
  async streams(): Promise<void> {
    for (const count of [this.#queries, 1000]) {
      const clients = this.#clients;
      const field = () => 'entry_stream(batch_size: 100, cursor: {initial_value: {id: "0"}}) { id at }';
      await this.#write('insert into entry default values');
      await clients.subscribe(100, count / 100, field);
      await delay(1000);
      const idle = await this.#database.during(this.#pid, () => delay(2000));
      const rows = new Map<string, number[]>();
      const times: number[] = [];
      clients.received = (stream, text) => {
        const now = Date.now();
        const seen = rows.get(stream) ?? [];
        rows.set(stream, seen);
        for (const [, id, at] of text.matchAll(/"id":"?(\d+)"?,"at":"([^"]+)"/g)) {
          seen.push(Number(id));
          if (stream === '0' || stream === String(count - 1)) times.push(now - Date.parse(at!));
        }
      };
      const written = 300;
      const began = performance.now();
      for (let number = 0; number < written; number += 1) {
        await delay(Math.max(0, began + number * 10 - performance.now()));
        await this.#write('insert into entry default values');
      }
      const deadline = performance.now() + 15_000;
      const done = () => [...rows.values()].filter((seen) => seen.length >= written).length;
      while (done() < count && performance.now() < deadline) await delay(50);
      const right = [...rows.values()].filter(
        (seen) => seen.length === written && seen.every((id, index) => index === 0 || id > seen[index - 1]!),
      ).length;
      this.#note(
        `L13 ${count} streams at the head, idle, then 100 inserts/s`,
        `${idle.statements.toFixed(1)} statements/s; ${right} got every row once; ${percentiles(times).text}`,
        `≤ 20 statements/s; ${count}; p99 ≤ 100 ms`,
      );
      await clients.close();
      await this.#write('truncate entry');
    }
  }

  /** L2, L3 and L9 with recorded writes. */
  async recorded(): Promise<void> {
    const clients = this.#clients;
    await clients.subscribe(100, 10, ITEM);
    await delay(2000);
    const foreign = await this.#foreign(500);
    this.#note('L2 with recorded writes', foreign.text, 'p50 ≤ 15 ms, p99 ≤ 50 ms');
    const own = percentiles(await clients.latencies(300, 100, 1000, (index) => this.#mutate(index)));
    this.#note('L2 mutations with recorded writes', own.text, 'p50 ≤ 5 ms');
    await this.writer('1,000 live queries', '≤ 50 µs per statement, ≤ 5 %');
    await clients.close();

    await clients.subscribe(100, this.#queries / 100, ITEM);
    await delay(2000);
    const scans = () =>
      this.#database.number("select idx_scan from pg_stat_user_tables where relname = 'item'");
    const before = await scans();
    const [count, began] = [3000, performance.now()];
    const times = await clients.latencies(count, 1000, this.#queries, (index) => this.#update(index));
    const seconds = (performance.now() - began - 1500) / 1000;
    await delay(3000);
    const reads = (await scans()) - before - count;
    this.#note(
      `L3 ${this.#queries} live queries, ${Math.round(count / seconds)} keyed writes/s`,
      `${(reads / count).toFixed(2)} reads for each write, ${percentiles(times).text}`,
      '≤ 1.1 at 1,000 writes/s, p99 ≤ 200 ms',
    );
    await clients.close();
  }

  /** L9: updates by key, of a table with triggers and of one without, in turn. */
  async writer(state: string, goal: string): Promise<void> {
    const times: Record<string, number[]> = { item: [], plain_item: [] };
    for (let count = 0; count < 3000; count += 1)
      for (const table of ['item', 'plain_item']) {
        const began = performance.now();
        const text = `update ${table} set n = n + 1 where id = $1`;
        await this.#database.client.query({ name: `update ${table}`, text, values: [1 + (count % 10_000)] });
        times[table]!.push(performance.now() - began);
      }
    const [armed, plain] = [percentiles(times.item!).p50, percentiles(times.plain_item!).p50];
    this.#note(
      `L9 cost for the writer, ${state}`,
      `${Math.round((armed - plain) * 1000)} µs per statement, ${percent(armed / plain - 1)} of its time`,
      goal,
    );
  }

  /** One of the programs that poll: its cost when idle, and how soon it knows of a write. */
  async floor(kind: 'each' | 'batched', subscribers: number): Promise<void> {
    const program = fileURLToPath(new URL('floors.ts', import.meta.url));
    const child = fork(program, [kind, this.#url, String(subscribers)], { execArgv: ['--import', 'tsx'] });
    try {
      await delay(4000);
      const idle = await this.#database.during(child.pid!, () => delay(4000));
      const times: number[] = [];
      const written = new Map<number, number>();
      child.on('message', (id: number) => {
        const at = written.get(id);
        if (at !== undefined) times.push(performance.now() - at);
        written.delete(id);
      });
      for (let count = 0; count < 300; count += 1) {
        const index = (count * 7) % 1000;
        await this.#update(index);
        written.set(index + 1, performance.now());
        await delay(10);
      }
      await delay(2500);
      const what = kind === 'each' ? 'one statement for each' : 'one for a hundred';
      this.#note(
        `Floor: ${subscribers} subscribers polled each second, ${what}`,
        `${Math.round(idle.statements)} statements/s, ${percent(idle.cpu)} of a core, database ${percent(idle.database)}; ${percentiles(times).text}`,
      );
    } finally {
      child.kill('SIGKILL');
      await delay(500);
    }
  }

  async #foreign(writes: number): Promise<ReturnType<typeof percentiles>> {
    return percentiles(await this.#clients.latencies(writes, 100, 1000, (index) => this.#update(index)));
  }

  #update(index: number): Promise<unknown> {
    return this.#database.client.query({
      name: 'update',
      text: 'update item set n = n + 1 where id = $1',
      values: [index + 1],
    });
  }

  #mutate(index: number): Promise<unknown> {
    const query = `mutation { update_item_by_pk(pk_columns: {id: ${index + 1}}, _inc: {n: 1}) { id } }`;
    return this.post('/v1/graphql', { query });
  }

  #write(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.#database.client.query(sql, [...values]);
  }

  async post(path: string, body: object): Promise<void> {
    const url = `http://127.0.0.1:${this.#server.port}${path}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200 || text.startsWith('{"errors"')) throw new Error(text);
  }
}

/** The figures as a table. */
export function liveTable(figures: readonly LiveFigure[]): string {
  return [
    '| Measure | Result | Goal |',
    '|---|---|---|',
    ...figures.map(({ what, value, goal }) => `| ${what} | ${value} | ${goal} |`),
  ].join('\n');
}
