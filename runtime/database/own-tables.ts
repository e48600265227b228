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
export function createPool(configuration: ConnectionConfiguration, name: string): pg.Pool {
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

/** Runs a task on a connection of its own. */
export async function withOwnTables(
  configuration: ConnectionConfiguration,
  name: string,
  run: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new DatabaseClient({ ...configuration, application_name: name });
  try {
    await client.connect();
    await client.query(OWN_SESSION);
    await run(namingOwnObjects(client));
  } finally {
    await client.end();
  }
}
