/** The log of asynchronous actions, `engine_catalog.action_log` in the metadata database: what was called, and what became of it. */
import type { ConnectionConfiguration } from '../database/connection.ts';
import { openInTurn } from '../database/encryption.ts';
import { createPool, withOwnTables } from '../database/own-tables.ts';
import { isOwned, type QueueQuery } from '../queue/lease.ts';

/** A call that was claimed. JSON parts are the texts that Postgres wrote, so numbers keep their digits. */
export interface LoggedCall {
  readonly id: string;
  readonly action: string;
  readonly input: string;
  /** Those that may be forwarded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionVariables: Readonly<Record<string, string>>;
}

/** What decides who may see a call. */
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

/** JSON texts; one of the two. */
export interface CallOutcome {
  readonly response?: string;
  readonly errors?: string;
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
  create schema if not exists engine_catalog;
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
  create index if not exists action_log_open on engine_catalog.action_log (created_at)
    where status in ('created', 'processing');
  create table if not exists engine_catalog.instances (
    id uuid primary key,
    seen_at timestamptz not null default now()
  );
  commit`;

const CLAIM = `
  with due as materialized (
    select id from engine_catalog.action_log as a
    where action_name = any ($1)
      and (status = 'created' or (status = 'processing' and owner is not null and not ${isOwned('a.owner')}))
    order by created_at
    limit $2
    for update skip locked
  )
  update engine_catalog.action_log as log
  set status = 'processing', owner = $3
  from due where log.id = due.id
  returning log.id, log.action_name as action, log.input_payload::text as input, log.request_headers as headers,
    log.session_variables as "sessionVariables"`;

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
    owner = null, request_headers = '{}'
  where id = $1 and status = 'processing'`;

/** What `pg_stat_activity` calls the connections. */
const NAME = 'engine actions';

/** Connects to the metadata database and creates what is missing. */
export async function openActionLog(url: string): Promise<ActionLog> {
  const configuration = await openInTurn({ connectionString: url }, createTable);
  const pool = createPool(configuration, NAME);
  const run = async (sql: string, values: readonly unknown[]) => {
    await pool.query(sql, [...values]);
  };
  return {
    add: ({ id, action, input, headers, sessionVariables }, owner) =>
      run(
        `insert into engine_catalog.action_log
           (id, action_name, input_payload, request_headers, session_variables, status, owner)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          action,
          input,
          JSON.stringify(headers),
          JSON.stringify(sessionVariables),
          owner === undefined ? 'created' : 'processing',
          owner,
        ],
      ),
    claim: async (actions, limit, owner) =>
      (await pool.query<LoggedCall>(CLAIM, [actions, limit, owner])).rows,
    query: async (sql, values) => (await pool.query(sql, values && [...values])).rows,
    release: (ids) =>
      run(
        `update engine_catalog.action_log set status = 'created', owner = null
         where id = any ($1::uuid[]) and status = 'processing'`,
        [ids],
      ),
    settle: (id, { response, errors }) =>
      run(SETTLE, [id, errors === undefined ? 'completed' : 'error', response ?? null, errors ?? null]),
    read: async (ids) => (await pool.query<CallResult>(READ, [ids])).rows,
    pending: async (ids) => (await pool.query<StoredCall>(PENDING, [ids])).rows,
    close: () => pool.end(),
  };
}

async function createTable(configuration: ConnectionConfiguration): Promise<ConnectionConfiguration> {
  await withOwnTables(configuration, NAME, (client) => client.query(TABLE));
  return configuration;
}
