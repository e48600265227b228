/** Goals of actions beside throughput, each with its figure: handlers that misbehave, stored calls, joins, clients that leave. */
import { once, setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import WebSocket from 'ws';
import type { MeasuredServer } from './child.ts';
import { fetchOnce, generateLoad } from './load.ts';
import { median, percentile } from './results.ts';

export interface GoalFigure {
  readonly id: string;
  readonly what: string;
  readonly figure: string;
  readonly goal: string;
}

export interface ActingBench {
  readonly engine: MeasuredServer;
  readonly handler: MeasuredServer;
  readonly databaseUrl: string;
  /** Starts another server on the same metadata database. */
  readonly another: () => Promise<MeasuredServer>;
  readonly progress: (text: string) => void;
}

export const HEADERS = { 'x-engine-role': 'user', 'content-type': 'application/json' };

const graphql = (query: string) => ({
  path: '/v1/graphql',
  headers: HEADERS,
  body: JSON.stringify({ query }),
});

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(port: number, query: string): Promise<Answer> {
  return JSON.parse(await fetchOnce(port, graphql(query))) as Answer;
}

/** A field that must be answered. */
async function value(port: number, query: string): Promise<unknown> {
  const { data, errors } = await ask(port, query);
  const [field] = Object.values(data ?? {});
  if (errors || field === undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return field;
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** Everything but throughput, in the order of the goals. */
export async function measureGoals(bench: ActingBench): Promise<GoalFigure[]> {
  const figures: GoalFigure[] = [];
  for (const measure of [hanging, dripping, tooLarge, enqueueing, killed, watching, joining, leaving]) {
    for (const figure of await measure(bench)) {
      figures.push(figure);
      bench.progress(`${figure.id} ${figure.what}: ${figure.figure} (goal: ${figure.goal})`);
    }
  }
  return figures;
}

const CALLS = 10_000;
/** Seconds of load beside calls that hang. */
const BESIDE = 3;

async function hanging({ engine, handler, progress }: ActingBench): Promise<GoalFigure[]> {
  progress(`C-2: ${CALLS} calls of a handler that hangs`);
  const other = graphql('{ __typename }');
  const length = Buffer.byteLength(await fetchOnce(engine.port, other));
  const p99 = async () => {
    const { latencies } = await generateLoad(engine.port, [other], [length], 4, BESIDE);
    return percentile(
      latencies.toSorted((left, right) => left - right),
      0.99,
    );
  };
  await p99();
  const before = await p99();
  const { resident } = await engine.state();
  const leave = new AbortController();
  let [refused, failed] = [0, 0];
  setMaxListeners(0, leave.signal);
  const calls = Array.from({ length: CALLS }, async (_, index) => {
    // Not all connections in one moment: that alone would be the stall.
    await delay(Math.floor(index / 100) * 80);
    return fetch(`http://127.0.0.1:${engine.port}/v1/graphql`, {
      method: 'POST',
      headers: HEADERS,
      body: graphql('{ hang(n: 1) { n } }').body,
      signal: leave.signal,
    })
      .then(async (response) => {
        await response.text();
        refused += 1;
      })
      .catch(() => {
        failed += 1;
      });
  });
  await waitFor(async () => refused + failed >= CALLS - 2000, 200);
  await delay(500);
  const { resident: filled, stall } = await engine.state();
  const during = await p99();
  const found = `${refused}${failed > 0 ? `, ${failed} without a connection` : ''}`;
  leave.abort();
  await Promise.all(calls);
  await waitFor(async () => (await openCalls(handler)) === 0);
  return [
    { id: 'C-2', what: `refused at once of ${CALLS}, the others wait`, figure: found, goal: '–' },
    { id: 'C-2', what: 'memory that they take', figure: megabytes(filled - resident), goal: '≤ 150 MB' },
    { id: 'C-2', what: 'longest stall of the event loop', figure: `${stall.toFixed(0)} ms`, goal: '< 50 ms' },
    {
      id: 'C-2',
      what: 'p99 of other requests beside them, before',
      figure: `${during.toFixed(1)} ms, ${before.toFixed(1)} ms`,
      goal: '± 20 %',
    },
  ];
}

/** Requests that the handler has not answered. */
async function openCalls({ port }: MeasuredServer): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/open`);
  return Number(await response.text());
}

async function waitFor(condition: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('what is measured does not happen');
    await delay(5);
  }
}

async function dripping({ engine }: ActingBench): Promise<GoalFigure[]> {
  const times = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const begin = performance.now();
      const { errors } = await ask(engine.port, '{ drip(n: 1) { n } }');
      if (!errors) throw new Error('an answer that drips was accepted');
      return performance.now() - begin;
    }),
  );
  const longest = `${Math.max(...times).toFixed(0)} ms`;
  return [
    { id: 'C-3', what: 'a body that drips ends, timeout 1,000 ms', figure: longest, goal: '≤ 1,100 ms' },
  ];
}

async function tooLarge({ engine }: ActingBench): Promise<GoalFigure[]> {
  const { resident } = await engine.state();
  const { errors } = await ask(engine.port, '{ large(n: 1) { n } }');
  const { peak } = await engine.state();
  const found = `${errors?.[0]?.message ?? 'accepted'}, ${megabytes(Math.max(0, peak - resident))} more`;
  return [{ id: 'C-4', what: 'an answer of 100 MB', figure: found, goal: 'an error' }];
}

const ENQUEUED = 200;

async function enqueueing({ engine: { port } }: ActingBench): Promise<GoalFigure[]> {
  const begun: { readonly id: string; readonly at: number }[] = [];
  for (let n = 0; n < ENQUEUED; n += 1) {
    const at = Date.now();
    begun.push({ id: (await value(port, `mutation { job(n: ${n}) }`)) as string, at });
  }
  const delays: number[] = [];
  for (const { id, at } of begun) {
    let output: { readonly at: number } | null = null;
    while (!output) ({ output } = (await value(port, `{ job(id: "${id}") { output { at } } }`)) as never);
    delays.push((output as { readonly at: number }).at - at);
  }
  delays.sort((left, right) => left - right);
  const figure = `p50 ${median(delays)} ms, p99 ${percentile(delays, 0.99)} ms`;
  return [
    { id: 'C-5', what: 'from the mutation to the handler of a stored call', figure, goal: 'p50 < 20 ms' },
  ];
}

const KILLED = 100;

/** A server is killed while its calls are on their way; another one takes them over. */
async function killed({ another, engine, databaseUrl, progress }: ActingBench): Promise<GoalFigure[]> {
  progress('C-6: kill -9 in the middle of stored calls, 30 s until the lease ends');
  const victim = await another();
  await Promise.all(
    Array.from({ length: KILLED }, (_, n) => value(victim.port, `mutation { slow_job(n: ${n}) }`)),
  );
  await victim.kill();
  const begin = performance.now();
  return withDatabase(databaseUrl, async (database) => {
    const count = async (status: string) => {
      const { rows } = await database.query(
        `select count(*)::int from engine_catalog.action_log where action_name = 'slow_job' and status = $1`,
        [status],
      );
      return rows[0].count as number;
    };
    await waitFor(async () => (await count('completed')) === KILLED).catch(() => {});
    const seconds = (performance.now() - begin) / 1000;
    const lost = KILLED - (await count('completed'));
    await value(engine.port, '{ __typename }');
    return [
      { id: 'C-6', what: `lost of ${KILLED} calls after kill -9`, figure: String(lost), goal: '0' },
      {
        id: 'C-6',
        what: 'until another server had made them',
        figure: `${seconds.toFixed(0)} s`,
        goal: '≤ 30 s + the calls',
      },
    ];
  });
}

/** Opens a database for so long. */
export async function withDatabase<Result>(
  connectionString: string,
  use: (database: pg.Client) => Promise<Result>,
): Promise<Result> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    return await use(database);
  } finally {
    await database.end();
  }
}

/**
 * Transactions of the database while something runs.
 * @param publish milliseconds until backends have published what they counted: a second for busy ones, 10 for idle ones
 * @returns their number without those of counting
 */
async function transactions(
  databaseUrl: string,
  run: () => Promise<unknown>,
  publish = 1500,
): Promise<number> {
  return withDatabase(databaseUrl, async (database) => {
    const count = async () => {
      await delay(publish);
      const { rows } = await database.query(
        'select xact_commit from pg_stat_database where datname = current_database()',
      );
      return Number(rows[0].xact_commit);
    };
    const before = await count();
    await run();
    return (await count()) - before - 1;
  });
}

/** Milliseconds after which idle backends have published what they counted. */
const PUBLISH_IDLE = 11_000;
const WATCHED = 1000;
const WATCH_SECONDS = 8;

/** Calls that no server makes, each watched by a subscription of its own. */
async function watching({ engine, databaseUrl, progress }: ActingBench): Promise<GoalFigure[]> {
  progress(`C-7: ${WATCHED} subscriptions to ${WATCHED} results`);
  const ids = await withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query(
      `insert into engine_catalog.action_log (action_name, input_payload, request_headers, session_variables, status)
       select 'job', '{"n": 1}', '{}', '{"x-engine-role": "user"}', 'processing' from generate_series(1, $1) returning id`,
      [WATCHED],
    );
    return rows.map(({ id }) => id as string);
  });
  // Backends of the measurements before publish what they counted.
  await delay(PUBLISH_IDLE);
  const idle = await transactions(databaseUrl, () => delay(WATCH_SECONDS * 1000));
  let heard = 0;
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async (_, number) => {
      const socket = new WebSocket(`ws://127.0.0.1:${engine.port}/v1/graphql`, 'graphql-transport-ws', {
        headers: { 'x-engine-role': 'user' },
      });
      await once(socket, 'open');
      socket.on('message', (data) => {
        if (String(data).startsWith('{"type":"next"')) heard += 1;
      });
      socket.send(
        JSON.stringify({ type: 'connection_init', payload: { headers: { 'x-engine-role': 'user' } } }),
      );
      for (const id of ids.slice(number * 100, number * 100 + 100)) {
        const query = `subscription { job(id: "${id}") { output { n } } }`;
        socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } }));
      }
      return socket;
    }),
  );
  await waitFor(async () => heard >= WATCHED);
  await delay(PUBLISH_IDLE);
  const statements = await transactions(databaseUrl, () => delay(WATCH_SECONDS * 1000));
  for (const socket of sockets) socket.close();
  await withDatabase(databaseUrl, (database) =>
    database.query(`delete from engine_catalog.action_log where status = 'processing'`),
  );
  // Counting itself waits for 1.5 seconds.
  const figure = `${((statements - idle) / (WATCH_SECONDS + 1.5)).toFixed(1)}/s`;
  return [{ id: 'C-7', what: `statements for ${WATCHED} that watch`, figure, goal: '≤ 1/s' }];
}

const JOINED = 1000;

async function joining({ engine: { port }, databaseUrl }: ActingBench): Promise<GoalFigure[]> {
  const query = '{ rows(n: 50) { item { name owner { name } } } }';
  await value(port, query);
  const count = await transactions(
    databaseUrl,
    async () => {
      for (let n = 0; n < JOINED; n += 1) await value(port, query);
    },
    PUBLISH_IDLE,
  );
  // What the server reads by itself meanwhile is a few hundredths.
  const each = count / JOINED;
  return [
    {
      id: 'C-10',
      what: 'statements of a request whose answer has 50 relationships, two levels',
      figure: each.toFixed(1),
      goal: '1',
    },
  ];
}

const LEAVING = 200;

async function leaving({ engine, handler }: ActingBench): Promise<GoalFigure[]> {
  const leave = new AbortController();
  const calls = Array.from({ length: LEAVING }, () =>
    fetch(`http://127.0.0.1:${engine.port}/v1/graphql`, {
      method: 'POST',
      headers: HEADERS,
      body: graphql('{ hang(n: 1) { n } }').body,
      signal: leave.signal,
    }).catch(() => {}),
  );
  await waitFor(async () => (await openCalls(handler)) === LEAVING);
  const begin = performance.now();
  leave.abort();
  await Promise.all(calls);
  await waitFor(async () => (await openCalls(handler)) === 0);
  const figure = `${(performance.now() - begin).toFixed(0)} ms`;
  return [
    { id: 'C-11', what: `until ${LEAVING} calls end after their clients left`, figure, goal: 'aborted' },
  ];
}
