/**
 * A server that the operator names for migrations: databases of our own on it, which are dropped in the end, with the roles that
 * the migrations made. It is meant to be a throw-away server: one compile at a time, nothing else on it.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describeConnectionError } from '../../runtime/metadata-api/connection-error.ts';

/** A server for the databases of an offline compile. */
export interface OfflineServer {
  /** Creates an empty database. Returns its connection address. */
  createDatabase(name: string): Promise<string>;
  /** Removes the databases. Safe to call twice. */
  stop(): Promise<void>;
}

/** The scratch server cannot be used; the message says why, without its address. */
class ScratchServerError extends Error {
  override readonly name = 'ScratchServerError';
}

/** Exit statuses of a process that a signal ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** @throws ScratchServerError */
export async function openScratch(url: string): Promise<OfflineServer> {
  const databases: string[] = [];
  const rolesBefore = new Set(await onServer(url, listRoles));
  const stop = async () => {
    await onServer(url, async (client) => {
      for (const name of databases)
        await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
      for (const role of await listRoles(client)) {
        // One that owns something elsewhere is not ours.
        if (!rolesBefore.has(role))
          await client.query(`drop role ${pg.escapeIdentifier(role)}`).catch(() => {});
      }
    });
  };
  let stopping: Promise<void> | undefined;
  const handlers = Object.entries(SIGNALS).map(([signal, status]) => {
    const handler = () => void server.stop().finally(() => process.exit(status));
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  const server: OfflineServer = {
    createDatabase: async () => {
      const name = await onServer(url, async (client) => {
        const free = (await scheduledDatabase(client)) ?? `engine_scratch_${randomBytes(6).toString('hex')}`;
        databases.push(free);
        await client.query(`create database ${pg.escapeIdentifier(free)} template template0`);
        return free;
      });
      const address = new URL(url);
      address.pathname = `/${encodeURIComponent(name)}`;
      return address.href;
    },
    stop: () => {
      for (const remove of handlers) remove();
      stopping ??= stop();
      return stopping;
    },
  };
  return server;
}

/** The only database that pg_cron can be created in, by the server's configuration, unless it exists: then it is not ours. */
async function scheduledDatabase(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select name from current_setting('cron.database_name', true) as name
     where name <> '' and not exists (select from pg_catalog.pg_database where datname = name)`,
  );
  return rows[0]?.name;
}

async function listRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_catalog.pg_roles');
  return rows.map(({ rolname }) => rolname);
}

async function onServer<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return await use(client);
  } catch (error) {
    throw new ScratchServerError(
      `The scratch server cannot be used: ${describeConnectionError(error)}.\n` +
        'It must be a PostgreSQL on which the user may create databases; see --scratch.',
      { cause: error },
    );
  } finally {
    await client?.end().catch(() => {});
  }
}
