/** What the measures of live queries share: a database, the built server, and clients of it. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { GoalFigure } from '../results.ts';
import { type ServerProcess, startServerProcess } from '../server.ts';
import { Clients } from './clients.ts';
import { Database, percentiles } from './measure.ts';

export const SCHEMA = `create table item (id int primary key, n int not null default 0, filler text not null);
  insert into item select i, 0, repeat('x', 100) from generate_series(1, 10000) as i;
  create table plain_item (like item including all); insert into plain_item select * from item;
  create table big (id int primary key, text text not null); insert into big values (1, repeat('y', 1000));
  create table entry (id bigserial primary key, at timestamptz not null default clock_timestamp());
  create view slow_item as select id, n, pg_sleep(2)::text as slept from item where id = 1; analyze;`;

/** Rows of `item`: the maximum of live queries that have a row each. */
export const ITEMS = 10_000;

export const TRACKED = ['item', 'big', 'entry', 'slow_item'];

/** The live query of one row. */
export const item = (index: number) => `item_by_pk(id: ${index + 1}) { n }`;

type Note = (figure: GoalFigure) => void;

/** What one measure works with. */
export class Rig {
  readonly url: string;
  readonly database: Database;
  /** How many live queries, streams or sockets. */
  readonly queries: number;
  readonly #note: Note;
  #isGivenUp = false;
  #server: ServerProcess | undefined;
  #clients: Clients | undefined;

  constructor(url: string, client: pg.Client, queries: number, note: Note) {
    this.url = url;
    this.database = new Database(client);
    this.queries = queries;
    this.#note = note;
  }

  /** Starts the built server. */
  async serve(program: string): Promise<void> {
    this.#server = await startServerProcess(this.url, [], { program });
    this.#clients = this.anotherClient();
  }

  async stop(): Promise<void> {
    this.#server?.child.kill('SIGKILL');
    await this.#clients?.close();
  }

  /** What it finds from now on does not count: its server is stopped. */
  async stopAtOnce(): Promise<void> {
    this.#isGivenUp = true;
    await this.stop();
  }

  note(figure: GoalFigure): void {
    if (!this.#isGivenUp) this.#note(figure);
  }

  get clients(): Clients {
    return this.#clients!;
  }

  get pid(): number {
    return this.#server!.child.pid!;
  }

  /** @param session headers that say who it is; by default an administrator */
  anotherClient(session?: Readonly<Record<string, string>>): Clients {
    return new Clients(this.#server!.port, session);
  }

  async track(): Promise<void> {
    for (const table of TRACKED) await this.metadata('pg_track_table', { table });
  }

  metadata(type: string, args: object): Promise<void> {
    return this.post('/v1/metadata', { type, args });
  }

  /** @throws with the answer unless it succeeds */
  async post(path: string, body: object): Promise<void> {
    const url = `http://127.0.0.1:${this.#server!.port}${path}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200 || text.startsWith('{"errors"')) throw new Error(text);
  }

  write(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.database.client.query(sql, [...values]);
  }

  /** Writes the row of a live query, by plain SQL. */
  update(index: number): Promise<unknown> {
    return this.database.client.query({
      name: 'update',
      text: 'update item set n = n + 1 where id = $1',
      values: [index + 1],
    });
  }

  /** Writes it by a mutation of the server. */
  mutate(index: number): Promise<void> {
    const query = `mutation { update_item_by_pk(pk_columns: {id: ${index + 1}}, _inc: {n: 1}) { id } }`;
    return this.post('/v1/graphql', { query });
  }

  /** Milliseconds from the end of each of 300 writes, a hundred a second, to its message at one of a thousand live queries. */
  async latencies(write: (index: number) => Promise<unknown>): Promise<ReturnType<typeof percentiles>> {
    return percentiles(await this.clients.latencies(300, 100, Math.min(1000, this.queries), write));
  }

  /** Opens a thousand live queries of a row each, or fewer if fewer are asked for. @returns how many */
  async thousand(): Promise<number> {
    const count = Math.min(1000, this.queries);
    await this.clients.subscribe(count / 10, 10, item);
    await delay(1500);
    return count;
  }
}
