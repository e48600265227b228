/**
 * `npm run bench -- live`: what live queries cost and how soon they tell. The server is a process of its own; clients and the
 * writer are this one. Statements are counted by the database, so the looks for changes are among them.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import WebSocket from 'ws';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { type ServerProcess, startServerProcess } from './server.ts';

export interface LiveFigure {
  readonly what: string;
  readonly value: string;
}

const SCHEMA = `create table item (id int primary key, n int not null default 0, filler text not null);
  insert into item select i, 0, repeat('x', 100) from generate_series(1, 10000) as i;
  create table big (id int primary key, text text not null); insert into big values (1, repeat('y', 1000)); analyze;`;

/** Runs all measurements. @param queries how many live queries, each with a value of its own */
export async function benchLive(queries: number, progress: (text: string) => void): Promise<LiveFigure[]> {
  const cluster = await startEmbeddedPostgres();
  const database = new pg.Client({ connectionString: cluster.url });
  await database.connect();
  await database.query(SCHEMA);
  const server = await startServerProcess(cluster.url);
  try {
    return await new Bench(server, database, progress).run(queries);
  } finally {
    server.child.kill('SIGKILL');
    await database.end();
    await cluster.stop();
  }
}

class Bench {
  readonly #server: ServerProcess;
  readonly #database: pg.Client;
  readonly #progress: (text: string) => void;
  readonly #figures: LiveFigure[] = [];
  /** Called for every result. */
  #received: (id: string, text: string) => void = () => {};
  #closed = 0;

  constructor(server: ServerProcess, database: pg.Client, progress: (text: string) => void) {
    this.#server = server;
    this.#database = database;
    this.#progress = progress;
  }

  async run(queries: number): Promise<LiveFigure[]> {
    for (const table of ['item', 'big'])
      await this.#post('/v1/metadata', { type: 'pg_track_table', args: { table } });
    const sockets = await this.#subscribe(
      100,
      queries / 100,
      (index) => `item_by_pk(id: ${index + 1}) { n }`,
    );
    await delay(3000);
    const idle = await this.#during(5000, () => delay(5000));
    this.#note(`${queries} live queries, idle: statements/s`, idle.statements.toFixed(1));
    this.#note(
      `${queries} live queries, idle: CPU of the server`,
      `${(idle.cpu * 100).toFixed(1)} % of a core`,
    );
    const changed = performance.now();
    const all = this.#next(queries);
    await this.#database.query('update item set n = n + 1 where id <= $1', [queries]);
    await all;
    const seconds = (performance.now() - changed) / 1000;
    this.#note(`${queries} live queries, all change at once`, `${Math.round(queries / seconds)} results/s`);
    await this.#close(sockets);

    const thousand = await this.#subscribe(100, 10, (index) => `item_by_pk(id: ${index + 1}) { n }`);
    await delay(2000);
    this.#note(
      '1,000 live queries, 100 foreign writes/s: commit to message',
      await this.#latency(300, (id) => this.#database.query('update item set n = n + 1 where id = $1', [id])),
    );
    this.#note(
      '1,000 live queries, 100 mutations/s: answer to message',
      await this.#latency(300, (id) =>
        this.#post('/v1/graphql', {
          query: `mutation { update_item_by_pk(pk_columns: {id: ${id}}, _inc: {n: 1}) { id } }`,
        }),
      ),
    );
    let messages = 0;
    this.#received = () => {
      messages += 1;
    };
    for (let swap = 0; swap < 100; swap += 1)
      await this.#post('/v1/metadata', {
        type: swap % 2 ? 'pg_drop_select_permission' : 'pg_create_select_permission',
        args: { table: 'item', role: 'r', ...(swap % 2 ? {} : { permission: { columns: '*', filter: {} } }) },
      });
    this.#note(
      '100 changes of the metadata under 1,000 live queries',
      `${this.#closed} sockets closed, ${messages} messages`,
    );
    await this.#close(thousand);

    const before = this.#memory();
    const many = await this.#subscribe(5000, 1, () => 'big_by_pk(id: 1) { text }');
    await delay(2000);
    this.#note(
      '5,000 sockets with one live query each: memory',
      `${((this.#memory() - before) / 5000).toFixed(1)} kB per socket`,
    );
    const told = performance.now();
    const last = this.#next(5000);
    await this.#database.query(`update big set text = repeat('z', 1000)`);
    await last;
    this.#note(
      'one result of 1 kB for 5,000 sockets: commit to the last message',
      `${Math.round(performance.now() - told)} ms`,
    );
    await this.#close(many);
    return this.#figures;
  }

  #note(what: string, value: string): void {
    this.#figures.push({ what, value });
    this.#progress(`${what}: ${value}`);
  }

  /** Opens sockets with live queries, and waits for their first results. */
  async #subscribe(sockets: number, each: number, field: (index: number) => string): Promise<WebSocket[]> {
    const first = this.#next(sockets * each);
    const open: WebSocket[] = [];
    for (let number = 0; number < sockets; number += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${this.#server.port}/v1/graphql`, 'graphql-transport-ws');
      open.push(socket);
      await once(socket, 'open');
      socket.on('close', () => {
        this.#closed += 1;
      });
      socket.on('message', (data) => {
        const text = String(data);
        const id = /^\{"type":"next","id":"(\d+)"/.exec(text)?.[1];
        if (id !== undefined) this.#received(id, text);
      });
      socket.send('{"type":"connection_init"}');
      for (let count = 0; count < each; count += 1) {
        const index = number * each + count;
        const payload = { query: `subscription { ${field(index)} }` };
        socket.send(JSON.stringify({ type: 'subscribe', id: String(index + 1), payload }));
      }
    }
    await first;
    return open;
  }

  async #close(sockets: readonly WebSocket[]): Promise<void> {
    for (const socket of sockets) socket.close(1000);
    await delay(1000);
    this.#closed = 0;
  }

  /** Returns after so many results. */
  #next(count: number): Promise<void> {
    let left = count;
    return new Promise((resolve) => {
      this.#received = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
  }

  /** Median and 99th percentile of the time from a write to its message, at a hundred writes a second. */
  async #latency(writes: number, write: (id: number) => Promise<unknown>): Promise<string> {
    const written = new Map<string, number>();
    const times: number[] = [];
    this.#received = (id) => {
      const at = written.get(id);
      if (at !== undefined) times.push(Math.max(0, performance.now() - at));
      written.delete(id);
    };
    for (let count = 0; count < writes; count += 1) {
      const id = 1 + ((count * 7) % 1000);
      const begun = performance.now();
      await write(id);
      written.set(String(id), performance.now());
      await delay(Math.max(0, 10 - (performance.now() - begun)));
    }
    await delay(2000);
    times.sort((left, right) => left - right);
    const at = (part: number) => Math.round(times[Math.floor((times.length - 1) * part)] ?? Number.NaN);
    return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  }

  async #during(
    milliseconds: number,
    run: () => Promise<unknown>,
  ): Promise<{ statements: number; cpu: number }> {
    const count = async () => {
      // What backends have counted is published once a second.
      await delay(1500);
      const { rows } = await this.#database.query(
        'select xact_commit from pg_stat_database where datname = current_database()',
      );
      return Number(rows[0].xact_commit);
    };
    const statements = await count();
    const cpu = this.#cpu();
    await run();
    const used = this.#cpu() - cpu;
    const after = await count();
    return {
      statements: (after - statements - 1) / (milliseconds / 1000 + 1.5),
      cpu: used / (milliseconds / 1000),
    };
  }

  /** Seconds of CPU time of the server. */
  #cpu(): number {
    const fields = readFileSync(`/proc/${this.#server.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Kilobytes that the server occupies. */
  #memory(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#server.child.pid}/status`, 'utf8'))![1]);
  }

  async #post(path: string, body: object): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#server.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
  }
}

/** The figures as a table. */
export function liveTable(figures: readonly LiveFigure[]): string {
  return [
    '| Measure | Result |',
    '|---|---|',
    ...figures.map(({ what, value }) => `| ${what} | ${value} |`),
  ].join('\n');
}
