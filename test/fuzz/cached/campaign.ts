/**
 * Random queries with `@cached` of random sessions, under random rules and writes. A kept answer is what a query without the directive
 * answers: always where nothing was written, at once after a write of the server to a table that the query names, soon after any other,
 * and at once after a change of the rules. Clients that write and read at the same time read what they wrote.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { compilerModule } from '../../../compiler/module.ts';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { captureStatus, installCapture, removeCapture } from '../../../runtime/database/record/install.ts';
import type { Observer } from '../../../runtime/observe/logs/observe.ts';
import { type RunningServer, startServer } from '../../../runtime/server/main.ts';
import { Random } from '../random.ts';
import { createScratchDatabase, type ScratchDatabase } from '../scratch-database.ts';
import {
  type CachedRequest,
  randomMetadata,
  randomMutation,
  randomRequest,
  randomSession,
  randomWrite,
  SCHEMA,
  type Session,
} from './world.ts';

const CASES_PER_WORLD = 25;
const TABLES = ['team', 'item', 'label'].map((name) => ({ schema: 'public', name }));
/** What was asked lately, and is asked again after each write. */
const ASKED_AGAIN = 16;
const CLIENTS = 6;

export interface CachedResult {
  readonly cases: number;
  readonly compared: number;
  /** Answers from memory among those that were compared. */
  readonly hits: number;
  readonly fault: string | undefined;
}

interface Asked {
  readonly request: CachedRequest;
  readonly session: Session;
}

export async function runCachedCampaign(
  serverUrl: string,
  name: string,
  seed: number,
  cases: number,
): Promise<CachedResult> {
  const database = await createScratchDatabase(serverUrl, name);
  let server: RunningServer | undefined;
  try {
    await database.client.query(SCHEMA);
    server = await start(database.url);
    return await new Campaign(server, database, new Random(seed)).run(cases);
  } finally {
    await server?.stop();
    await database.drop();
  }
}

function start(url: string): Promise<RunningServer> {
  const environment = {
    ENGINE_GRAPHQL_DATABASE_URL: url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
    // Small, so that answers and queries are driven out.
    ENGINE_GRAPHQL_RESPONSE_CACHE: '1',
    ENGINE_GRAPHQL_ENABLED_APIS: 'metadata,graphql',
  };
  const observe: Observer = Object.assign(() => {}, { flush: async () => {} });
  const configuration = readConfiguration({}, environment);
  return startServer({ configuration, environment, compiler: compilerModule, observe });
}

class Campaign {
  readonly #server: RunningServer;
  readonly #database: ScratchDatabase;
  readonly #random: Random;
  #asked: Asked[] = [];
  #compared = 0;
  #hits = 0;
  #isRecorded = false;
  #fault: string | undefined;

  constructor(server: RunningServer, database: ScratchDatabase, random: Random) {
    this.#server = server;
    this.#database = database;
    this.#random = random;
  }

  async run(cases: number): Promise<CachedResult> {
    let number = 0;
    while (number < cases && !this.#fault) {
      if (number % CASES_PER_WORLD === 0) await this.#changeWorld();
      number += 1;
      await this.#ask();
      if (this.#random.chance(0.6)) await this.#write();
      if (this.#random.chance(0.05)) await this.#writeAndReadAtOnce();
      if (this.#random.chance(0.15)) await this.#writeDuringRead();
    }
    return { cases: number, compared: this.#compared, hits: this.#hits, fault: this.#fault };
  }

  async #changeWorld(): Promise<void> {
    const { client, url } = this.#database;
    const metadata = randomMetadata(this.#random, url);
    const { status, text } = await this.#send('/v1/metadata', { type: 'replace_metadata', args: metadata });
    if (status !== 200) throw new Error(`the metadata is not taken: ${text}`);
    this.#isRecorded = !this.#isRecorded;
    if (this.#isRecorded) await installCapture(client, await captureStatus(client, TABLES));
    else await removeCapture(client);
    // What was kept by the rules before is not answered any more.
    for (const asked of this.#asked) await this.#compare(asked, 'after the rules were changed');
  }

  /** One operation for several sessions, twice each and in any order. */
  async #ask(): Promise<void> {
    const random = this.#random;
    const sessions = random.list(4, () => randomSession(random));
    // The same role, and one variable that differs.
    const [first] = sessions;
    const names = Object.keys(first!).filter((name) => name !== 'x-engine-role');
    const name = random.pick(names);
    sessions.push({
      ...first!,
      [name]: sessions.find((each) => each[name] !== first![name])?.[name] ?? first![name]!,
    });
    const request = randomRequest(random);
    await this.#keep({ request, session: first! });
    const asked = sessions.map((session) => ({ request, session }));
    for (const each of random.shuffle([...asked, ...asked])) await this.#compare(each, 'without a write');
    this.#asked = [...asked, ...this.#asked].slice(0, ASKED_AGAIN);
  }

  /** Asks until the answer is kept: the server asks the database first what it depends on. */
  async #keep({ request, session }: Asked): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { text, isKept } = await this.#query(request, session, true);
      if (isKept || text.startsWith('{"errors"')) return;
      await delay(5);
    }
  }

  async #write(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.4)) {
      const query = randomMutation(random);
      const { text } = await this.#send('/v1/graphql', { query });
      if (text.includes('errors')) throw new Error(`${query}: ${text}`);
      // Views are not among the tables that it names.
      for (const asked of this.#asked)
        if (!asked.request.fields.includes('items')) await this.#compare(asked, `at once after ${query}`);
      for (const asked of this.#asked) await this.#settle(asked, query);
      return;
    }
    const sql = randomWrite(random);
    await this.#database.client.query(sql);
    for (const asked of this.#asked) await this.#settle(asked, sql);
  }

  /** What was read before a write and comes after it is not kept. */
  async #writeDuringRead(): Promise<void> {
    const fields = 'slow_team(where: {id: {_gt: $a}}) { n }';
    const slow = { name: 'slow', declared: '($a: Int)', fields, variables: { a: 0 } };
    await this.#keep({ request: slow, session: {} });
    slow.variables.a = -1 - this.#compared;
    const reading = this.#query(slow, {}, true);
    const active = `select from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like '%slow_team%'`;
    for (let attempt = 0; attempt < 50; attempt += 1) {
      if ((await this.#database.client.query(active)).rows.length > 0) break;
      await delay(5);
    }
    const query = 'mutation { update_team(where: {id: {_eq: 1}}, _inc: {n: 1}) { affected_rows } }';
    await (this.#random.chance(0.5)
      ? this.#send('/v1/graphql', { query })
      : this.#database.client.query('update team set n = n + 1 where id = 1'));
    await reading;
    await this.#settle({ request: slow, session: {} }, 'a write during the read');
  }

  /** Each client writes a row that is its own, while all write and read. */
  async #writeAndReadAtOnce(): Promise<void> {
    const random = this.#random;
    const first = random.below(1_000_000);
    const clients = Array.from({ length: CLIENTS }, (_, index) => ({
      id: 1001 + index,
      writes: random.between(2, 8),
    }));
    const insert = `insert into item (id, owner, kind) values ${clients.map(({ id }) => `(${id}, 0, 'a')`).join(', ')}`;
    await this.#database.client.query(`${insert} on conflict do nothing`);
    const byKey: CachedRequest = {
      name: `own${random.below(3)}`,
      declared: '($id: Int!)',
      fields: 'item_by_pk(id: $id) { n }',
      variables: {},
    };
    const others = delay(1).then(async () => {
      for (let count = 0; count < 10; count += 1) await this.#database.client.query(randomWrite(random));
    });
    await Promise.all(
      clients.map(async ({ id, writes }) => {
        for (let n = first; n < first + writes; n += 1) {
          const query = `mutation { update_item_by_pk(pk_columns: {id: ${id}}, _set: {n: ${n}}) { n } }`;
          await this.#send('/v1/graphql', { query });
          for (let read = 0; read < 3; read += 1) {
            const { text } = await this.#query({ ...byKey, variables: { id } }, {}, true);
            this.#compared += 1;
            if (text !== `{"data":{"item_by_pk":{"n":${n}}}}`)
              this.#fault ??= `a client that wrote ${n} to the row ${id} reads ${text}`;
          }
        }
      }),
    );
    await others;
    await this.#database.client.query('delete from item where id > 1000');
    for (const asked of this.#asked) await this.#settle(asked, 'writes of many clients');
  }

  async #compare({ request, session }: Asked, when: string): Promise<void> {
    const kept = await this.#query(request, session, true);
    const fresh = await this.#query(request, session, false);
    this.#compared += 1;
    if (kept.isKept) this.#hits += 1;
    if (kept.text !== fresh.text) this.#fault ??= describe({ request, session }, when, kept.text, fresh.text);
  }

  async #settle({ request, session }: Asked, write: string): Promise<void> {
    const deadline = performance.now() + 30_000;
    for (;;) {
      const kept = await this.#query(request, session, true);
      const fresh = await this.#query(request, session, false);
      this.#compared += 1;
      if (kept.text === fresh.text) return;
      if (performance.now() > deadline || this.#fault) {
        this.#fault ??= describe({ request, session }, `long after ${write}`, kept.text, fresh.text);
        return;
      }
      await delay(10);
    }
  }

  async #query({ name, declared, fields, variables }: CachedRequest, session: Session, cached: boolean) {
    const query = `query ${name}${declared} ${cached ? '@cached(ttl: 600) ' : ''}{ ${fields} }`;
    const { text, headers } = await this.#send('/v1/graphql', { query, variables }, session);
    return { text, isKept: headers.has('cache-control') };
  }

  async #send(path: string, body: object, headers: Session = {}) {
    const answer = await fetch(`http://127.0.0.1:${this.#server.port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

function describe({ request, session }: Asked, when: string, kept: string, fresh: string): string {
  const { name, declared, fields, variables } = request;
  return `${when}, query ${name}${declared} @cached { ${fields} } ${JSON.stringify(variables)} of ${JSON.stringify(session)} answers
${kept}
where the query without @cached answers
${fresh}`;
}
