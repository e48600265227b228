/** One connection of a pool: a pipelined `pg` client, the statements prepared there, and how busy it is. */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Vocabulary } from '../core/vocabulary.ts';
import { DatabaseClient } from './client.ts';
import { statementLost } from './failures.ts';
import type { LaneState } from './lanes.ts';
import { NO_JIT, SESSION_SETTINGS } from './session-settings.ts';
import { PreparedStatements } from './statements.ts';
import {
  type CommandsAround,
  type Preparation,
  type ReadRow,
  TextQuery,
  type TextRow,
} from './text-query.ts';
import type { ConnectionConfiguration } from './ways.ts';
import { defineSettings } from './writer.ts';

const UNNAMED: Preparation = { name: '', parse: true, close: [] };

/** Milliseconds of silence after which the platform asks an idle connection whether it is still there: once a second, ten times. */
const KEEP_ALIVE = 10_000;

/** Characters of new SQL after which a backend is replaced: it has grown by up to 64 MB. */
const MAX_PARSED = 8 * 1024 * 1024;

/** Settings of a new session. All others belong to the server, the database and the user. */
interface Session {
  /** Of a transaction that does not say how it is to be. Citus takes no statements for one that do not begin with BEGIN. */
  readonly defaults: string;
  readonly process: number;
  /** The extension Citus is there. */
  readonly cluster: boolean;
}

const IS_CLUSTER = `exists (select from pg_catalog.pg_extension where extname = 'citus')`;

/** Citus prunes shards by values: a plan for any value is one for every shard, or none. */
const NO_GENERIC_PLANS = `case when ${IS_CLUSTER}
  then pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', false) end`;

/** Settings of every session of a pool. */
const SETTINGS = `${NO_JIT}, ${NO_GENERIC_PLANS}`;

/** Gives a session that was discarded its settings again. */
export function prepareSession(vocabulary: Vocabulary): string {
  return `${SESSION_SETTINGS}; select ${defineSettings(vocabulary)}, ${SETTINGS}`;
}

const readSession = (
  vocabulary: Vocabulary,
) => `select pg_catalog.current_setting('default_transaction_isolation') ||
  case when pg_catalog.current_setting('default_transaction_read_only')::boolean then ' read only' else ' read write' end ||
  case when ${IS_CLUSTER} then ' without begin' else '' end as defaults,
  pg_catalog.pg_backend_pid() as process, ${IS_CLUSTER} as cluster, ${defineSettings(vocabulary)}, ${SETTINGS}`;

/** A statement and the texts of its parameters, which are asked for when it is sent. */
export interface BoundStatement {
  readonly text: string;
  readonly values: TextRow;
  /** The tables that it writes, as `"schema"."name"`; absent: not known. */
  readonly writes?: readonly string[];
}

export interface TextRequest {
  /** Name of the prepared statement; see statementName. */
  readonly name: string;
  readonly statement: BoundStatement;
}

/**
 * `rows`: of the statements that went well, which are all of them unless there is an error.
 * `elapsed`: milliseconds since the query was sent or, if later, since the answer before it. `idle`: those of them in which
 * this process had nothing to do.
 */
type Settle = (error: Error | undefined, rows: readonly ReadRow[], elapsed: number, idle: number) => void;

/** A connection that is open. The fields that say how busy it is are the pool's; see Place in lanes.ts. @template Item what it sends */
export class PooledConnection<Item extends object = object> implements LaneState {
  readonly client: pg.Client;
  readonly statements: PreparedStatements;
  readonly defaults: string;
  /** Queries sent and not yet answered. */
  inFlight = 0;
  load = 0;
  reads = 0;
  state: LaneState['state'] = 'shared';
  writes = false;
  isSlow = false;
  ticks = 0;
  /** The running statement is being cancelled from outside. */
  isEnding = false;
  /** Queries in flight, in order. */
  readonly sent: Item[] = [];
  /** Process id of the backend, as reported when it was connected. */
  readonly processId: number;
  /** Its backend is always the same: there is no pooler between. */
  readonly isDirect: boolean;
  #collecting = false;
  readonly openedAt = performance.now();
  /** Characters of the statements that were new to the backend; see `isWorn`. */
  #parsed = 0;
  readonly isCluster: boolean;
  /** Milliseconds that next to nothing took there. */
  readonly roundTrip: number;
  /** Since when the oldest query in flight has had the backend to itself; the end of the last one when idle. */
  headSince = performance.now();
  #headIdle = performance.nodeTiming.idleTime;

  /** @param defaults of a transaction that does not say how it is to be: `read committed read write`, for instance */
  constructor(client: pg.Client, statementLimit: number, session: Session, roundTrip: number) {
    const { defaults, process, cluster } = session;
    this.client = client;
    this.processId = (client as unknown as { readonly processID: number }).processID;
    this.isDirect = this.processId === process;
    this.isCluster = cluster;
    this.defaults = defaults;
    this.roundTrip = roundTrip;
    this.statements = new PreparedStatements(statementLimit);
  }

  /** Its session was discarded and prepared again. */
  wasDiscarded(): void {
    this.statements.clear();
  }

  /** Sends statements behind those in flight. Without a transaction they are one. */
  send(requests: readonly TextRequest[], unnamed: boolean, settle: Settle, around?: CommandsAround): void {
    if (this.inFlight === 0) this.#beginHead();
    this.inFlight += 1;
    const prepared = requests.map(({ name, statement: { text, values } }) => ({
      text,
      values,
      preparation: unnamed ? UNNAMED : this.statements.prepare(text, name),
    }));
    for (const { text, preparation } of prepared) if (preparation.parse) this.#parsed += text.length;
    // The callback has no name: what runs sources without a build gives every named one its name again in each call.
    const query = new TextQuery(
      prepared,
      (error, rows) => {
        const { headSince } = this;
        const idle = this.#beginHead();
        const elapsed = this.headSince - headSince;
        this.inFlight -= 1;
        if (error) {
          const undone = prepared.slice(rows.length);
          for (const { preparation } of undone) this.statements.skipped(preparation);
          if (statementLost(error) && undone[0]) this.statements.forget(undone[0].preparation.name);
        }
        settle(error, rows, elapsed, idle);
      },
      around,
    );
    this.#collectWrites();
    this.client.query(query as unknown as pg.Submittable);
  }

  /** Returns how many milliseconds this process was idle since the last call. */
  #beginHead(): number {
    const { idleTime } = performance.nodeTiming;
    const idle = idleTime - this.#headIdle;
    this.headSince = performance.now();
    this.#headIdle = idleTime;
    return idle;
  }

  /**
   * Whether the backend has read so much new SQL that it is to be replaced. It keeps the names of the columns of every
   * row that a statement makes until it ends, some 8 bytes for each character of a statement that clients make up.
   */
  get isWorn(): boolean {
    return this.#parsed > MAX_PARSED;
  }

  /** Buffers writes until the current events are processed, so that their queries share one system call. */
  #collectWrites(): void {
    if (this.#collecting) return;
    this.#collecting = true;
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    setImmediate(() => {
      this.#collecting = false;
      stream.uncork();
    });
  }
}

/**
 * Opens a connection. `onClosed` is called, possibly more than once, when its socket is gone.
 * @throws what `pg` reports; messages hold no password
 */
export async function openConnection<Item extends object>(
  configuration: ConnectionConfiguration,
  { statementLimit, vocabulary }: { readonly statementLimit: number; readonly vocabulary: Vocabulary },
  onClosed: (connection: PooledConnection<Item>) => void,
): Promise<PooledConnection<Item>> {
  const client = await connect(configuration);
  // Both are on their way at once. The session's own settings come first: operators of the second are found by them.
  const [, { rows }] = await Promise.all([
    client.query(SESSION_SETTINGS),
    client.query<Session>(readSession(vocabulary)),
  ]);
  const before = performance.now();
  await client.query('');
  const roundTrip = performance.now() - before;
  const connection = new PooledConnection<Item>(client, statementLimit, rows[0]!, roundTrip);
  client.on('error', () => onClosed(connection));
  client.on('end', () => onClosed(connection));
  return connection;
}

async function connect(configuration: ConnectionConfiguration): Promise<pg.Client> {
  const client = new DatabaseClient({
    application_name: 'engine',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    ...configuration,
    pipeline: true,
  });
  await client.connect();
  return client;
}
