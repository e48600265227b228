/** The log of asynchronous actions, `engine_catalog.action_log` in the metadata database: calls and their results. */
import pg from 'pg';
import { listenTo } from '../../database/channel.ts';
import { createOwnTables, OWN_SCHEMA } from '../../database/own-objects.ts';
import { createPool, withOwnTables } from '../../database/own-tables.ts';
import { isOwned, keepsAlive, type QueueQuery } from '../../database/queue/lease.ts';

/** A call that was claimed. JSON parts are the texts that Postgres wrote, so numbers keep their digits. */
export interface LoggedCall {
  readonly id: string;
  readonly action: string;
  readonly input: string;
  /** Those that may be forwarded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionVariables: Readonly<Record<string, string>>;
  /** Lets its handler complete the call later; null where handlers may not. */
  readonly token: string | null;
}

/** The part of a call that decides who may see it. */
export interface StoredCall {
  readonly id: string;
  readonly action: string;
  readonly sessionVariables: Readonly<Record<string, string>>;
}

/** Result of a stored call. */
export interface CallResult extends StoredCall {
  /** JSON text of a time. */
  readonly createdAt: string;
  /** JSON texts; null until it is finished. */
  readonly response: string | null;
  readonly errors: string | null;
}

/** How a call ended, as JSON texts; or its handler completes it later. */
export type CallOutcome =
  | { readonly response: string }
  | { readonly errors: string }
  | { readonly isPostponed: true };

export interface ActionLogOptions {
  /** Seconds that handlers have to complete calls; undefined: they get no tokens. */
  readonly completionTimeout: number | undefined;
  /** Called when there are calls that no instance works on. Calls of others may not be noticed. */
  readonly changed: (() => void) | undefined;
}

export interface ActionLog {
  /**
   * Stores a call; it is there for every instance once this resolves.
   * @param owner has it from the start: others take it over when that instance has died
   */
  readonly add: (call: LoggedCall, owner?: string) => Promise<void>;
  /** Calls of these actions that no living instance works on, the oldest first; they are the owner's from now on. */
  readonly claim: (
    actions: readonly string[],
    limit: number,
    owner: string,
  ) => Promise<readonly LoggedCall[]>;
  /** For the lease of an instance. */
  readonly query: QueueQuery;
  /** A postponed call that this token completes; undefined: unknown, completed or too late. */
  readonly postponed: (id: string, token: string) => Promise<LoggedCall | undefined>;
  /** Ends a postponed call. @returns false when something else has ended it */
  readonly complete: (id: string, token: string, outcome: CallOutcome) => Promise<boolean>;
  /** Ends postponed calls whose time is over, with this error (JSON text). */
  readonly expire: (errors: string) => Promise<void>;
  /** Gives calls back that were not finished. */
  readonly release: (ids: readonly string[]) => Promise<void>;
  readonly settle: (id: string, outcome: CallOutcome) => Promise<void>;
  readonly read: (ids: readonly string[]) => Promise<readonly CallResult[]>;
  /** Those of the ids that are stored and have not ended. */
  readonly pending: (ids: readonly string[]) => Promise<readonly StoredCall[]>;
  readonly close: () => Promise<void>;
}

/** Serialises instances that create the table at once. */
const CREATION_LOCK = 7_215_880_402;

const TABLE = `
  begin;
  select pg_advisory_xact_lock(${CREATION_LOCK});
  ${OWN_SCHEMA}
  create table if not exists engine_catalog.action_log (
    id uuid primary key default gen_random_uuid(),
    action_name text,
    input_payload jsonb not null,
    request_headers jsonb not null,
    session_variables jsonb not null,
    response_payload jsonb,
    errors jsonb,
    created_at timestamptz not null default now(),
    response_received_at timestamptz,
    status text not null check (status in ('created', 'processing', 'completed', 'error'))
  );
  alter table engine_catalog.action_log add column if not exists owner uuid;
  alter table engine_catalog.action_log add column if not exists completion_hash bytea;
  alter table engine_catalog.action_log add column if not exists complete_until timestamptz;
  create index if not exists action_log_open on engine_catalog.action_log (created_at)
    where status in ('created', 'processing');
  create table if not exists engine_catalog.instances (
    id uuid primary key,
    seen_at timestamptz not null default now()
  );
  commit`;

const CLAIM = `
  with due as materialized (
    select id, case when $4 then ${randomToken()} end as token from engine_catalog.action_log as a
    where action_name = any ($1)
      and (status = 'created' or (status = 'processing' and owner is not null and not ${isOwned('a.owner')}))
    order by created_at
    limit $2
    for update skip locked
  ), ${keepsAlive('$3', 'due')}
  update engine_catalog.action_log as log
  set status = 'processing', owner = $3, completion_hash = ${hashOf('due.token')}
  from due where log.id = due.id
  returning log.id, log.action_name as action, log.input_payload::text as input, log.request_headers as headers,
    log.session_variables as "sessionVariables", due.token`;

const READ = `
  select id, action_name as action, to_json(created_at)::text as "createdAt",
    session_variables as "sessionVariables", response_payload::text as response, errors::text as errors
  from engine_catalog.action_log where id = any ($1::uuid[])`;

const PENDING = `
  select id, action_name as action, session_variables as "sessionVariables" from engine_catalog.action_log
  where id = any ($1::uuid[]) and status in ('created', 'processing')`;

// Headers may be credentials of the client; they are not needed after the call.
const SETTLE = `
  update engine_catalog.action_log
  set status = $2, response_payload = $3::jsonb, errors = $4::jsonb, response_received_at = now(),
    owner = null, request_headers = '{}', completion_hash = null
  where id = $1 and status = 'processing'`;

const POSTPONE = `
  update engine_catalog.action_log
  set owner = null, request_headers = '{}', complete_until = now() + make_interval(secs => $2)
  where id = $1 and status = 'processing'`;

/** SQL: the call waits for its completion, $2 is its token, and its time is not over. */
const IS_POSTPONED = `id = $1 and status = 'processing' and completion_hash = ${hashOf('$2::text')}
  and coalesce(complete_until > now(), true)`;

const POSTPONED = `
  select id, action_name as action, input_payload::text as input, '{}'::jsonb as headers,
    session_variables as "sessionVariables", null as token
  from engine_catalog.action_log where ${IS_POSTPONED}`;

const COMPLETE = `
  update engine_catalog.action_log
  set status = $3, response_payload = $4::jsonb, errors = $5::jsonb, response_received_at = now(), owner = null,
    request_headers = '{}', completion_hash = null
  where ${IS_POSTPONED} returning id`;

const EXPIRE = `
  update engine_catalog.action_log set status = 'error', errors = $1::jsonb, response_received_at = now(), completion_hash = null
  where status = 'processing' and complete_until < now()`;

/** Name of the channel that announces calls which no instance works on. */
const CHANNEL = 'engine_actions';

const ADD = `
  with added as (
    insert into engine_catalog.action_log
      (id, action_name, input_payload, request_headers, session_variables, status, owner, completion_hash)
    values ($1, $2, $3, $4, $5, $6, $7, ${hashOf('$8::text')})
  ),
  owned as (select where $7::uuid is not null), ${keepsAlive('$7', 'owned')}
  select pg_notify('${CHANNEL}', '') where $7::uuid is null`;

const RELEASE = `
  with released as (
    update engine_catalog.action_log set status = 'created', owner = null
    where id = any ($1::uuid[]) and status = 'processing' returning id
  )
  select pg_notify('${CHANNEL}', '') where exists (select from released)`;

/** SQL: a random text of 244 bits. */
function randomToken(): string {
  return `replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`;
}

/** SQL: the hash of a token. The token itself would let readers of the log complete calls. */
function hashOf(token: string): string {
  return `sha256(convert_to(${token}, 'UTF8'))`;
}

/** Name of the connections in `pg_stat_activity`. */
const NAME = 'engine actions';

/** Connects to the metadata database and creates what is missing. */
export async function openActionLog(
  url: string,
  { completionTimeout, changed }: ActionLogOptions,
): Promise<ActionLog> {
  const configuration = { connectionString: url };
  await withOwnTables(configuration, NAME, (client) => createOwnTables(client, TABLE));
  const pool = createPool(configuration, NAME);
  const listener = changed && listenTo(CHANNEL, configuration, `${NAME} watch`, changed);
  const run = async (sql: string, values: readonly unknown[]) => {
    await pool.query(sql, [...values]);
  };
  return {
    add: ({ id, action, input, headers, sessionVariables, token }, owner) =>
      run(ADD, [
        id,
        action,
        input,
        JSON.stringify(headers),
        JSON.stringify(sessionVariables),
        owner === undefined ? 'created' : 'processing',
        owner,
        owner === undefined ? null : token,
      ]),
    claim: async (actions, limit, owner) => {
      const values = [actions, limit, owner, completionTimeout !== undefined];
      return (await pool.query<LoggedCall>(CLAIM, values)).rows;
    },
    query: async (sql, values) => (await pool.query(sql, values && [...values])).rows,
    release: (ids) => run(RELEASE, [ids]),
    settle: async (id, outcome) => {
      if ('isPostponed' in outcome) return run(POSTPONE, [id, completionTimeout]);
      try {
        await run(SETTLE, [id, ...stored(outcome)]);
      } catch (error) {
        // Trying it again for ever would hold up every other call.
        if (!isAboutData(error)) throw error;
        await run(SETTLE, [id, ...stored({ errors: unstorable(error) })]);
      }
    },
    postponed: async (id, token) => (await pool.query<LoggedCall>(POSTPONED, [id, token])).rows[0],
    complete: async (id, token, outcome) =>
      (await pool.query(COMPLETE, [id, token, ...stored(outcome)])).rows.length > 0,
    expire: (errors) => run(EXPIRE, [errors]),
    read: async (ids) => (await pool.query<CallResult>(READ, [ids])).rows,
    pending: async (ids) => (await pool.query<StoredCall>(PENDING, [ids])).rows,
    close: async () => {
      await listener?.stop();
      await pool.end();
    },
  };
}

/** Status, response and errors of an ended call. */
function stored(outcome: CallOutcome): readonly [string, string | null, string | null] {
  if ('errors' in outcome) return ['error', null, outcome.errors];
  return ['completed', 'response' in outcome ? outcome.response : null, null];
}

/** Not all JSON is `jsonb`: no NUL, no half of a surrogate pair, no number beyond `numeric`, nothing too deep. */
function isAboutData(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:22|54)/.test(error.code ?? '');
}

function unstorable({ message }: Error): string {
  const error = `the result of the call cannot be stored: ${message}`;
  return JSON.stringify({ error, path: '$', code: 'data-exception' });
}
