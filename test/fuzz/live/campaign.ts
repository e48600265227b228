/**
 * Random subscriptions, writes by three paths, changes of rules, lost sockets and backends. Nothing is polled, so only
 * changes bring results. When all is quiet every client must hold what a fresh query answers; and at no time may a client
 * get a row that its role may not see, a state older than the one before, or the same state twice.
 */
import pg from 'pg';
import { compilerModule } from '../../../compiler/module.ts';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import type { Observer } from '../../../runtime/observe/logs/observe.ts';
import { type RunningServer, startServer } from '../../../runtime/server/main.ts';
import { Random } from '../random.ts';
import { Client, type LiveSubscription, type Row } from './client.ts';
import { Writes } from './writes.ts';

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
  'subscription ($a: Int) { item(where: {_or: [{id: {_eq: $a}, hidden: {_eq: false}}, {owner: {_eq: $a}}]}, order_by: {id: asc}) { id owner hidden } }',
  'subscription ($a: Int) { note(where: {item_id: {_eq: $a}}, order_by: {id: desc}, limit: 3) { id word } }',
  'subscription { item_count(order_by: {who: asc}) { who items } }',
  'subscription ($a: Int!) { items_of(args: {o: $a}, order_by: {id: asc}) { id owner hidden word } }',
  'subscription ($p: String!) { item(where: {word: {_regex: $p}}, order_by: {id: asc}) { id owner hidden word } }',
  'subscription ($a: Int!) { brittle(where: {id: {_gt: $a}}, order_by: {id: asc}) { id owner hidden share } }',
  'subscription { tick_by_pk(id: 1) { n } }',
  'subscription { slow_tick(where: {id: {_eq: 1}}) { n } }',
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
  const writes = new Writes(url.href, random);
  let server: RunningServer | undefined;
  const clients: Client[] = [];
  try {
    await writes.open();
    server = await start(url.href);
    return await new Campaign(server, writes, random, clients).run(actions);
  } finally {
    for (const client of clients) await client.close();
    await server?.stop();
    await writes.close();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

/** A server on which nothing is polled, and small batches. */
function start(url: string): Promise<RunningServer> {
  const environment = {
    ENGINE_GRAPHQL_DATABASE_URL: url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
    ENGINE_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    ENGINE_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '3600000',
    ENGINE_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: '3',
    ENGINE_GRAPHQL_ENABLED_APIS: 'metadata,graphql,developer',
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
  readonly #writes: Writes;
  readonly #random: Random;
  readonly #clients: Client[];
  #rule = 0;
  /** What a client may be shown: while rules change, by the one before as well. */
  #allowed: readonly number[] = [0];
  #compared = 0;

  constructor(server: RunningServer, writes: Writes, random: Random, clients: Client[]) {
    this.#server = server;
    this.#writes = writes;
    this.#random = random;
    this.#clients = clients;
  }

  async run(actions: number): Promise<LiveResult> {
    await this.#track();
    for (const user of ['0', '1', '1', 'admin']) await this.#addClient(user);
    for (let action = 1; action <= actions; action += 1) {
      this.#writes.isDelicate = false;
      await this.#act();
      // Often after a single write, because a later one of the same rows would make up for one that was missed.
      if (this.#random.chance(this.#writes.isDelicate ? 0.7 : 0.15)) await this.#quiet();
      const fault = this.#writes.fault ?? this.#clients.find((client) => client.fault)?.fault;
      if (fault) return { actions: action, compared: this.#compared, fault };
    }
    return { actions, compared: this.#compared, fault: undefined };
  }

  async #track(): Promise<void> {
    for (const table of ['item', 'note', 'busy_item', 'item_count', 'tick', 'slow_tick', 'brittle'])
      await this.#metadata('pg_track_table', { table });
    await this.#metadata('pg_track_function', { function: 'items_of' });
    await this.#metadata('pg_create_array_relationship', {
      table: 'item',
      name: 'notes',
      using: { foreign_key_constraint_on: { table: 'note', column: 'item_id' } },
    });
    for (const table of ['item', 'busy_item', 'brittle'])
      await this.#metadata('pg_create_select_permission', this.#permission(table, RULES[0].filter));
    for (const table of ['note', 'item_count', 'tick', 'slow_tick'])
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
    for (const [index, query] of QUERIES.entries())
      if (user === 'admin' || index % 4 === this.#clients.length % 4) this.#subscribe(client, query, 3);
  }

  /** @param values numbers of the variable; below 3 are those of owners */
  #subscribe(client: Client, query = this.#random.pick(QUERIES), values = 6): void {
    const random = this.#random;
    if (query.includes('$p')) {
      // One that fails and one that does not, often in one batch.
      for (const p of [random.pick(['(', '[', `*${random.below(9)}`]), random.pick(['w', '^y', '1$'])])
        client.subscribe(query, { p });
    } else client.subscribe(query, query.includes('$a') ? { a: random.below(values) } : {});
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const client = random.pick(this.#clients);
    const ids = [...client.subscriptions.keys()];
    switch (random.below(20)) {
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
        if (random.chance(0.4)) await this.#writes.loseConnections();
        return;
      case 5:
      case 6:
        await this.#writes.disturbCapture();
        return;
      case 7:
      case 8:
      case 9:
        // A connection that was ended may lose it.
        await send(this.#server, '/v1/graphql', { body: { query: this.#writes.mutation() } });
        return;
      case 10:
      case 11:
        await send(this.#server, '/v2/query', {
          body: { type: 'run_sql', args: { sql: this.#writes.sql() } },
        });
        return;
      default:
        await this.#writes.write();
    }
  }

  async #changeRule(next: number): Promise<void> {
    this.#allowed = [this.#rule, next];
    const { filter } = RULES[next]!;
    await this.#metadata(
      'bulk',
      ['item', 'busy_item', 'brittle'].flatMap((table) => [
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
    await Promise.all(
      this.#clients.map(async (client) => {
        for (const subscription of client.subscriptions.values()) await this.#settle(client, subscription);
      }),
    );
  }

  async #settle(client: Client, subscription: LiveSubscription): Promise<void> {
    const { query, variables } = subscription;
    const isStream = query.includes('_stream');
    // A slow query that changes often is not read again at once, and less often on a busy machine.
    const deadline = performance.now() + 30_000;
    for (;;) {
      const fresh = await this.#fresh(client, query, variables);
      if (client.fault) return;
      const held = isStream ? streamed(subscription.streamed, fresh) : subscription.last;
      if (held === fresh || subscription.hasEnded) break;
      // A value that fails now, and had a result before, holds none.
      if (fresh === 'null' && query.includes('brittle') && subscription.failure !== undefined) break;
      if (performance.now() > deadline) {
        const session = JSON.stringify(client.session);
        client.fault = `${query} ${JSON.stringify(variables)} of ${session} holds ${held} where a fresh query answers ${fresh}; ${await this.#known(client, query)}`;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.#compared += 1;
  }

  /** What the server and the database know that decides when a query is read. */
  async #known({ session }: Client, query: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#server.port}/dev/subscriptions/extended`);
    const { live_queries_map: live } = (await answer.json()) as {
      live_queries_map: { role: string; multiplexed_query: string }[];
    };
    const [table] = /\w+/.exec(query.slice(query.indexOf('{') + 1))!;
    const read = live
      .filter(({ role, multiplexed_query: sql }) => {
        return (
          role === (session['x-engine-role'] ?? 'admin') &&
          sql.includes(`"${table.replace(/_by_pk$|_aggregate$/, '')}"`)
        );
      })
      .map(({ multiplexed_query: _, ...state }) => state);
    return `live queries: ${JSON.stringify(read)}; record: ${await this.#writes.record()}`;
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
