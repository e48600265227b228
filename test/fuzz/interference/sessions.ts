/**
 * Two servers whose databases differ only in what a session may not see. Others use the first one before and at the same time: they ask
 * the same operations, fill its caches, fail in transactions, and have their cursors sent back by the session. Nobody else uses the second.
 * The session's answers are equal.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { compilerModule } from '../../../compiler/module.ts';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import type { Observer } from '../../../runtime/observe/logs/observe.ts';
import { type RunningServer, startServer } from '../../../runtime/server/main.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { alike } from './alike.ts';
import {
  randomKeptRead,
  randomNestedInsert,
  randomPages,
  randomRead,
  type SessionRead,
} from './session-request.ts';
import { randomSessionWorld, type SessionWorld } from './session-world.ts';

const REQUESTS_PER_WORLD = 25;
const GRAPHQL = '/v1/graphql';
const RELAY = '/v1beta1/relay';

export interface SessionsResult {
  readonly cases: number;
  /** Cases of each kind, and how often their answers came with data, from memory, or with a cursor of someone else. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly fault: string | undefined;
}

type Headers = Readonly<Record<string, string>>;
interface Call {
  readonly path: string;
  readonly body: object;
}

export async function runSessionsCampaign(
  serverUrl: string,
  name: string,
  seed: number,
  cases: number,
): Promise<SessionsResult> {
  const sides = [await openSide(serverUrl, `${name}_a`), await openSide(serverUrl, `${name}_b`)] as const;
  try {
    const campaign = new Campaign(sides);
    let number = 0;
    for (let index = 0; number < cases && !campaign.fault; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const world = randomSessionWorld(random);
      await Promise.all(sides.map((side, position) => side.serve(world, position)));
      for (let count = 0; count < REQUESTS_PER_WORLD && number < cases && !campaign.fault; count += 1) {
        number += 1;
        await campaign.next(random, world);
      }
    }
    return { cases: number, outcomes: campaign.outcomes, fault: campaign.fault };
  } finally {
    await Promise.all(sides.map((side) => side.end()));
  }
}

class Campaign {
  readonly outcomes = new Map<string, number>();
  fault: string | undefined;
  readonly #sides: readonly [Side, Side];

  constructor(sides: readonly [Side, Side]) {
    this.#sides = sides;
  }

  async next(random: Random, world: SessionWorld): Promise<void> {
    const kind = random.below(10);
    if (kind < 2) return this.#cached(random, world);
    if (kind < 4) return this.#saved(random, world);
    if (kind < 6) return this.#pages(random, world);
    if (world.role === 'one' && kind < 9) return this.#nestedInsert(random, world);
    return this.#compare('query', random, world, graphql(randomRead(random, world)));
  }

  async #cached(random: Random, world: SessionWorld): Promise<void> {
    const { query, variables } = (random.chance(0.9) ? randomKeptRead : randomRead)(random, world);
    const call = graphql({
      query: query.replace(/^query ?(\([^)]*\))?/, 'query $1 @cached(ttl: 600)'),
      variables,
    });
    await this.#keep(call, otherSession(random));
    await this.#compare('cached', random, world, call);
  }

  async #saved(random: Random, world: SessionWorld): Promise<void> {
    const { name, variables } = random.pick(world.saved);
    const call = random.pick<Call>([
      { path: GRAPHQL, body: { documentId: `sessions/${name}`, variables } },
      { path: GRAPHQL, body: { documentId: name, variables } },
      { path: `/api/rest/${name}`, body: variables },
    ]);
    return this.#compare('saved', random, world, call);
  }

  /** Cursors and ids that another session, or this one, was given on either server. */
  async #pages(random: Random, world: SessionWorld): Promise<void> {
    const { page, node } = randomPages(random, world);
    const side = random.pick(this.#sides);
    const asker = random.chance(0.3) ? ownSession(world) : otherSession(random);
    const { text } = await side.send(relay(page(undefined)), asker);
    const cursors = [...text.matchAll(/"(?:cursor|startCursor|endCursor)" ?: ?"([^"]*)"/g)].map(
      ([, each]) => each!,
    );
    const ids = [...text.matchAll(/"id" ?: ?"([^"]*)"/g)].map(([, each]) => each!);
    await this.#compare('page', random, world, relay(page(undefined)));
    for (const cursor of random.shuffle(cursors).slice(0, 2))
      await this.#compare('page behind a cursor', random, world, relay(page(cursor)));
    for (const id of random.shuffle(ids).slice(0, 1))
      await this.#compare('node', random, world, relay(node(id)));
  }

  async #nestedInsert(random: Random, world: SessionWorld): Promise<void> {
    const call = graphql(randomNestedInsert(random));
    await this.#compare('nested insert', random, world, call, true);
    await Promise.all(this.#sides.map((each, position) => each.fill(world, position)));
  }

  /** Others ask first, at the same time, or fail; then the session's answers are compared. */
  async #compare(
    kind: string,
    random: Random,
    world: SessionWorld,
    call: Call,
    writes = false,
  ): Promise<void> {
    const [busy, quiet] = this.#sides;
    const session = ownSession(world);
    const others = random.list(writes ? 0 : random.below(3), () => otherSession(random));
    if (random.chance(0.1)) await busy.send(FAILING, otherSession(random));
    const atOnce = random.chance(0.3);
    const asked = others.map((other) => busy.send(call, other));
    if (!atOnce) await Promise.all(asked);
    const [one, other] = await Promise.all([busy.send(call, session), quiet.send(call, session)]);
    await Promise.all(asked);
    this.#count(kind);
    if (one.isKept) this.#count(`${kind}, kept`);
    if (one.status === 200 && !one.text.startsWith('{"errors"')) this.#count(`${kind}, with data`);
    const isOrderOpen = world.isAnalyzed || writes;
    const isDefect = [one, other].some(({ status }) => status >= 500);
    if (isDefect || one.status !== other.status || !alike(one.text, other.text, isOrderOpen))
      this.fault ??= describe(kind, world, call, others, [one.text, other.text]);
  }

  /** Until the answer is kept: the server asks the database first what it depends on. */
  async #keep(call: Call, session: Headers): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { text, isKept } = await this.#sides[0].send(call, session);
      if (isKept || !text.startsWith('{"data"')) return;
      await delay(5);
    }
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}

/** Rolled back, after a transaction has set what the server sets. */
const FAILING = graphql({
  query: 'mutation {insert_team(objects: [{id: 1, owner: 2, open: false, name: "theirs"}]) {affected_rows}}',
  variables: {},
});

function graphql({ query, variables }: SessionRead): Call {
  return { path: GRAPHQL, body: { query, variables } };
}

function relay({ query, variables }: SessionRead): Call {
  return { path: RELAY, body: { query, variables } };
}

function ownSession({ role }: SessionWorld): Headers {
  return { 'x-engine-role': role, 'x-engine-user-id': '1' };
}

/** Another user, another role of the same one, or the administrator. */
function otherSession(random: Random): Headers {
  return random.pick<Headers>([
    { 'x-engine-role': 'one', 'x-engine-user-id': '2' },
    { 'x-engine-role': 'one', 'x-engine-user-id': '2' },
    { 'x-engine-role': 'heir', 'x-engine-user-id': '2' },
    { 'x-engine-role': 'two', 'x-engine-user-id': '1' },
    { 'x-engine-role': 'one' },
    { 'x-engine-role': 'admin', 'x-engine-user-id': '2' },
  ]);
}

interface Side {
  readonly serve: (world: SessionWorld, position: number) => Promise<void>;
  readonly fill: (world: SessionWorld, position: number) => Promise<void>;
  readonly send: (call: Call, session: Headers) => Promise<{ status: number; text: string; isKept: boolean }>;
  readonly end: () => Promise<void>;
}

async function openSide(serverUrl: string, name: string): Promise<Side> {
  const { url, client, drop } = await createScratchDatabase(serverUrl, name);
  const environment = {
    ENGINE_GRAPHQL_DATABASE_URL: url,
    DATABASE_URL: url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
    ENGINE_GRAPHQL_RESPONSE_CACHE: '16',
    ENGINE_GRAPHQL_EXPERIMENTAL_FEATURES: 'group_by,computed_field_aggregates,nested_updates',
  };
  const observe: Observer = Object.assign(() => {}, { flush: async () => {} });
  const configuration = readConfiguration({}, environment);
  const server: RunningServer = await startServer({
    configuration,
    environment,
    compiler: compilerModule,
    observe,
  });
  const post = async (path: string, body: object, headers: Headers) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text(), isKept: answer.headers.has('cache-control') };
  };
  const fill = async ({ rows, isAnalyzed }: SessionWorld, position: number) => {
    await client.query(rows[position]!);
    if (isAnalyzed) await client.query('analyze team, item, note, far.part');
  };
  return {
    serve: async (world, position) => {
      await client.query(world.schema);
      await fill(world, position);
      const body = { type: 'replace_metadata', args: world.metadata };
      const { status, text } = await post('/v1/metadata', body, {});
      if (status !== 200) throw new Error(`the metadata is not taken: ${text}`);
    },
    fill,
    send: ({ path, body }, session) => post(path, body, session),
    end: async () => {
      await server.stop();
      await drop();
    },
  };
}

function describe(
  kind: string,
  world: SessionWorld,
  { path, body }: Call,
  others: readonly Headers[],
  answers: readonly string[],
): string {
  return [
    `the answers to a ${kind} differ`,
    `-- database${world.schema}`,
    ...world.rows.map((rows, index) => `-- rows of database ${index + 1}\n${rows}`),
    `-- metadata\n${JSON.stringify(world.metadata)}`,
    `-- ${JSON.stringify(ownSession(world))} asks ${path}, in database 1 beside ${JSON.stringify(others)}`,
    JSON.stringify(body),
    ...answers.map((text, index) => `-- answer ${index + 1}\n${text}`),
  ].join('\n\n');
}
