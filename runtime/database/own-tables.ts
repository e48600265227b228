/** Connections for Engine's own tables. Their transactions write, at read committed, whatever the database does by default. */
import pg from 'pg';
import { DatabaseClient } from './client.ts';
import { namingOwnObjects } from './own-objects.ts';
import { SESSION_SETTINGS } from './session-settings.ts';
import type { ConnectionConfiguration } from './ways.ts';

/**
 * Goes ahead of everything else on a connection. No name of a user is to be found: SQL for Engine's own tables names their schema.
 */
export const OWN_SESSION = `${SESSION_SETTINGS}; set search_path = pg_catalog, pg_temp;
  set default_transaction_read_only to off; set default_transaction_isolation to 'read committed'`;

/** @param name what `pg_stat_activity` calls the connections */
function createPool(configuration: ConnectionConfiguration, name: string): pg.Pool {
  const pool = new pg.Pool({
    ...configuration,
    // The pool hands its options to each client.
    Client: DatabaseClient as unknown as typeof pg.Client,
    max: 4,
    application_name: name,
    onConnect: async (client) => {
      await client.query(OWN_SESSION);
    },
  });
  // A connection that breaks while idle is replaced by the next use; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

/**
 * Makes a pool once its tables are as they should be.
 * @param prepare on the pool's first connection
 */
export async function openPool(
  configuration: ConnectionConfiguration,
  name: string,
  prepare: (client: pg.ClientBase) => Promise<unknown>,
): Promise<pg.Pool> {
  const pool = createPool(configuration, name);
  try {
    await withClient(pool, (client) => prepare(namingOwnObjects(client)));
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Lends a connection of a pool to a task. One that breaks meanwhile is not used again. */
export async function withClient<Value>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without a listener a connection that breaks meanwhile would end the process.
  const note = (error: Error) => {
    broken = error;
  };
  client.on('error', note);
  try {
    return await use(client);
  } finally {
    client.off('error', note);
    client.release(broken);
  }
}
