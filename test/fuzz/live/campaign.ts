/**
 * Random subscriptions, writes by three paths, changes of rules, lost sockets and backends. Nothing is polled, so only
 * changes bring results. When all is quiet every client must hold what a fresh query answers; and at no time may a client
 * get a row that its role may not see, a state older than the one before, or the same state twice.
 */
import pg from 'pg';
import { compilerModule } from '../../../compiler/module.ts';
import { captureStatus, installCapture, removeCapture } from '../../../runtime/capture/install.ts';
import { readConfiguration } from '../../../runtime/configuration.ts';
import { type RunningServer, startServer } from '../../../runtime/main.ts';
import type { Observer } from '../../../runtime/observe.ts';
import { Random } from '../random.ts';
import { Client, type Row } from './client.ts';

const SCHEMA = `
  create table item (id serial primary key, owner int not null, hidden boolean not null, word text not null default '');
  create index on item (owner);
  create table note (id serial primary key, item_id int not null references item on delete cascade, word text);
  create view busy_item as select item.*, (select count(*) from note where note.item_id = item.id) as notes from item;
  create table tick (id int primary key, n int not null) partition by list (id);
  create table tick_1 partition of tick for values in (1);
  insert into tick values (1, 0);
  insert into item (owner, hidden, word) select i % 3, i % 2 = 0, 'w' || i from generate_series(1, 12) as i;
  insert into note (item_id, word) select i, 'n' || i from generate_series(1, 6) as i;
`;

/** Rules of the role, from the widest on; each is a condition on items and what it means for a row. */
const RULES = [
  { filter: {}, shows: () => true },
  {
    filter: { owner: { _eq: 'x-engine-user-id' } },
    shows: (row: Row, user: string) => row.owner === Number(user),
  },
  {
    filter: { owner: { _eq: 'x-engine-user-id' }, hidden: { _eq: false } },
    shows: (row: Row, user: string) => row.owner === Number(user) && row.hidden === false,
  },
] as const;

const QUERIES = [
  'subscription ($a: Int) { item(where: {id: {_gt: $a}}, order_by: {id: asc}) { id owner hidden word } }',
  'subscription ($a: Int!) { item_by_pk(id: $a) { id owner hidden word notes(order_by: {id: asc}) { id word } } }',
  'subscription ($a: Int) { item_aggregate(where: {owner: {_eq: $a}}) { aggregate { count max { word } } } }',
  'subscription ($a: Int) { item(where: {notes: {id: {_gt: $a}}}, order_by: {word: desc, id: asc}, limit: 3) { id owner hidden } }',
  'subscription ($a: Int) { busy_item(where: {id: {_gt: $a}}, order_by: {id: asc}) { id owner hidden notes } }',
  'subscription ($a: Int) { item(where: {owner: {_eq: $a}}, order_by: {id: asc}) { id owner hidden word } }',
  'subscription ($a: Int) { item(where: {_or: [{id: {_eq: $a}}, {owner: {_eq: $a}}]}, order_by: {id: asc}) { id owner hidden } }',
  'subscription { tick_by_pk(id: 1) { n } }',
  'subscription ($a: Int) { item_stream(batch_size: 2, cursor: {initial_value: {id: $a}}) { id owner hidden } }',
];

export interface LiveResult {
  readonly actions: number;
  readonly compared: number;
  readonly fault: string | undefined;
}

export async function runLiveCampaign(serverUrl: string, seed: number, actions: number): Promise<LiveResult> {
  const random = new Random(seed);
  const name = `engine_fuzz_live_${process.pid}_${seed}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const writer = new pg.Client({ connectionString: url.href });
  await writer.connect();
  let server: RunningServer | undefined;
  const clients: Client[] = [];
  try {
    await writer.query(SCHEMA);
    // Half of the databases record what is written.
    if (random.chance(0.5)) await installCapture(writer, await captureStatus(writer, TABLES));
    server = await start(url.href);
    return await new Campaign(server, writer, random, clients).run(actions);
  } finally {
    for (const client of clients) await client.close();
    await server?.stop();
    await writer.end();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

const TABLES = ['item', 'note', 'tick'].map((name) => ({ schema: 'public', name }));

/** A server on which nothing is polled, and small batches. */
function start(url: string): Promise<RunningServer> {
  const environment = {
    ENGINE_GRAPHQL_DATABASE_URL: url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
    ENGINE_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    ENGINE_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    ENGINE_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: '3',
  };
  const observe: Observer = Object.assign(() => {}, { flush: async () => {} });
  const configuration = readConfiguration({}, environment);
  return startServer({ configuration, environment, compiler: compilerModule, observe });
}

async function send(
  { port }: RunningServer,
  path: string,
  { body, headers = {} }: { body: object; headers?: Readonly<Record<string, string>> },
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

class Campaign {
  readonly #server: RunningServer;
  readonly #writer: pg.Client;
  readonly #random: Random;
  readonly #clients: Client[];
  #rule = 0;
  /** What a client may be shown: while rules change, by the one before as well. */
  #allowed: readonly number[] = [0];
  #tick = 0;
  #compared = 0;

  constructor(server: RunningServer, writer: pg.Client, random: Random, clients: Client[]) {
    this.#server = server;
    this.#writer = writer;
    this.#random = random;
    this.#clients = clients;
  }

  async run(actions: number): Promise<LiveResult> {
    await this.#track();
    for (const user of ['0', '1', '1', 'admin']) await this.#addClient(user);
    for (let action = 1; action <= actions; action += 1) {
      await this.#act();
      if (action % 12 === 0) await this.#quiet();
      const fault = this.#clients.find((client) => client.fault)?.fault;
      if (fault) return { actions: action, compared: this.#compared, fault };
    }
    return { actions, compared: this.#compared, fault: undefined };
  }

  async #track(): Promise<void> {
    for (const table of ['item', 'note', 'busy_item', 'tick'])
      await this.#metadata('pg_track_table', { table });
    await this.#metadata('pg_create_array_relationship', {
      table: 'item',
      name: 'notes',
      using: { foreign_key_constraint_on: { table: 'note', column: 'item_id' } },
    });
    for (const table of ['item', 'busy_item'])
      await this.#metadata('pg_create_select_permission', this.#permission(table, RULES[0].filter));
    for (const table of ['note', 'tick'])
      await this.#metadata('pg_create_select_permission', this.#permission(table, {}));
  }

  #permission(table: string, filter: object): object {
    return { table, role: 'user', permission: { columns: '*', filter, allow_aggregations: true } };
  }

  async #addClient(user: string): Promise<void> {
    const session: Record<string, string> =
      user === 'admin' ? {} : { 'x-engine-role': 'user', 'x-engine-user-id': user };
    const mayShow = (row: Row) =>
      user === 'admin' ||
      row.owner === undefined ||
      this.#allowed.some((rule) => RULES[rule]!.shows(row, user));
    const client = new Client(`ws://127.0.0.1:${this.#server.port}/v1/graphql`, session, mayShow);
    this.#clients.push(client);
    await client.open();
    for (let count = 0; count < 5; count += 1) this.#subscribe(client);
  }

  #subscribe(client: Client): void {
    const query = this.#random.pick(QUERIES);
    client.subscribe(query, query.includes('$a') ? { a: this.#random.below(6) } : {});
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const client = random.pick(this.#clients);
    const ids = [...client.subscriptions.keys()];
    switch (random.below(13)) {
      case 0:
        this.#subscribe(client);
        if (ids.length > 8) client.unsubscribe(random.pick(ids));
        return;
      case 1:
        // One that is stopped before it has begun must leave nothing behind.
        this.#subscribe(client);
        client.unsubscribe([...client.subscriptions.keys()].at(-1)!);
        return;
      case 2:
        await client.close();
        await client.open();
        return;
      case 3:
        await this.#changeRule(random.below(RULES.length));
        return;
      case 4:
        await this.#writer.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'engine'
           and datname = current_database() and state = 'idle' and random() < 0.5`,
        );
        return;
      case 5:
        await this.#disturbCapture();
        return;
      default:
        await this.#write();
    }
  }

  /** What is recorded of writes begins or ends, or has a hole. */
  async #disturbCapture(): Promise<void> {
    const random = this.#random;
    switch (random.below(4)) {
      case 0:
        await installCapture(this.#writer, await captureStatus(this.#writer, TABLES));
        return;
      case 1:
        if (random.chance(0.3)) await removeCapture(this.#writer);
        return;
      default: {
        const { rows } = await this.#writer.query(
          "select tgname from pg_trigger where tgrelid = 'item'::regclass and tgname like 'engine_live_%'",
        );
        if (rows.length === 0) return;
        await this.#writer.query('alter table item disable trigger user');
        await this.#writeSql(this.#randomSql());
        if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.below(150)));
        if (random.chance(0.7))
          for (const { tgname } of rows)
            await this.#writer.query(`alter table item enable always trigger ${tgname}`);
      }
    }
  }

  #randomSql(): string {
    const random = this.#random;
    this.#tick += 1;
    const id = random.between(1, 14);
    const owner = random.below(3);
    return random.pick([
      `insert into item (owner, hidden, word) values (${owner}, ${random.chance(0.5)}, 'x${this.#tick}')`,
      `update item set owner = ${owner}, word = 'y${this.#tick}' where id = ${id}`,
      `update item set hidden = not hidden where id = ${id}`,
      `delete from item where id = ${id} and id > 3`,
      `insert into note (item_id, word) select id, 'z${this.#tick}' from item where id = ${id}`,
      `delete from note where item_id = ${id}`,
      `update tick set n = ${this.#tick}`,
      `update tick_1 set n = ${this.#tick}`,
    ]);
  }

  async #writeSql(sql: string): Promise<void> {
    const random = this.#random;
    await this.#writer.query('begin');
    await this.#writer.query(sql);
    if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.below(150)));
    await this.#writer.query(random.chance(0.9) ? 'commit' : 'rollback');
  }

  async #write(): Promise<void> {
    const random = this.#random;
    const sql = this.#randomSql();
    const id = random.between(1, 14);
    const owner = random.below(3);
    switch (random.below(3)) {
      case 0: {
        const mutation = random.pick([
          `mutation { update_tick_by_pk(pk_columns: {id: 1}, _set: {n: ${this.#tick}}) { n } }`,
          `mutation { insert_item_one(object: {owner: ${owner}, hidden: false, word: "m", notes: {data: [{word: "q"}]}}) { id } }`,
          `mutation { update_item(where: {owner: {_eq: ${owner}}}, _set: {word: "m${this.#tick}"}) { affected_rows } }`,
          `mutation { delete_note(where: {item_id: {_eq: ${id}}}) { affected_rows } }`,
        ]);
        // A connection that was ended may lose it.
        await send(this.#server, '/v1/graphql', { body: { query: mutation } });
        return;
      }
      case 1:
        await send(this.#server, '/v2/query', { body: { type: 'run_sql', args: { sql } } });
        return;
      default:
        await this.#writeSql(sql);
    }
  }

  async #changeRule(next: number): Promise<void> {
    this.#allowed = [this.#rule, next];
    const { filter } = RULES[next]!;
    await this.#metadata(
      'bulk',
      ['item', 'busy_item'].flatMap((table) => [
        { type: 'pg_drop_select_permission', args: { table, role: 'user' } },
        { type: 'pg_create_select_permission', args: this.#permission(table, filter) },
      ]),
    );
    this.#rule = next;
    // What was sent before the change was acknowledged may still be on its way.
    await Promise.all(this.#clients.map((client) => client.drained()));
    this.#allowed = [next];
  }

  /** Waits until every client holds what a fresh query answers. */
  async #quiet(): Promise<void> {
    for (const client of this.#clients)
      for (const subscription of client.subscriptions.values()) {
        const deadline = performance.now() + 10_000;
        let fresh = '';
        const holds = async () => {
          fresh = await this.#fresh(client, subscription.query, subscription.variables);
          return (
            fresh ===
            (subscription.query.includes('_stream')
              ? streamed(subscription.streamed, fresh)
              : subscription.last)
          );
        };
        while (!(await holds())) {
          if (client.fault) return;
          if (performance.now() > deadline) {
            client.fault = `${subscription.query} ${JSON.stringify(subscription.variables)} of ${JSON.stringify(client.session)} holds ${
              subscription.query.includes('_stream') ? subscription.streamed : subscription.last
            } where a fresh query answers ${fresh}`;
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        this.#compared += 1;
      }
  }

  async #fresh(client: Client, query: string, variables: Readonly<Record<string, unknown>>): Promise<string> {
    const asked = query.includes('_stream')
      ? 'query ($a: Int) { item(where: {id: {_gt: $a}}, order_by: {id: asc}) { id } }'
      : query.replace('subscription', 'query');
    const { text } = await send(this.#server, '/v1/graphql', {
      headers: client.session,
      body: { query: asked, variables },
    });
    return JSON.stringify((JSON.parse(text) as { data?: unknown }).data ?? null);
  }

  async #metadata(type: string, args: unknown): Promise<void> {
    const { status, text } = await send(this.#server, '/v1/metadata', { body: { type, args } });
    if (status !== 200) throw new Error(`${type}: ${text}`);
  }
}

/**
 * A stream sends each row once, in order; rows may have gone since, become visible late or been hidden. So every row behind
 * the last one that was sent must be there: what a fresh query answers, if so.
 */
function streamed(ids: readonly number[], fresh: string): string {
  const { item } = JSON.parse(fresh) as { item: { id: number }[] };
  const inOrder = ids.every((id, index) => index === 0 || id > ids[index - 1]!);
  const last = ids.at(-1) ?? Number.NEGATIVE_INFINITY;
  return inOrder && item.every(({ id }) => id <= last) ? fresh : `out of order or incomplete: ${ids}`;
}
