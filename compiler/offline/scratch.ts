/**
 * A server that the operator names for migrations: databases of our own on it, which are dropped in the end, with the roles that
 * the migrations made. It is meant to be a throw-away server: one compile at a time, nothing else on it.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import type { OfflineServer } from './servers.ts';

/** The scratch server cannot be used; the message says why, without its address. */
class ScratchServerError extends Error {
  override readonly name = 'ScratchServerError';
}

/** Exit statuses of a process that a signal ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

interface ScratchServer extends OfflineServer {
  /** Renames the roles made so far: the next source may make its own of these names. */
  hideRoles(): Promise<void>;
}

/** @throws ScratchServerError */
export async function openScratch(url: string): Promise<ScratchServer> {
  const databases: string[] = [];
  const rolesBefore = new Set(await onServer(url, listRoles));
  const hidden = new Set<string>();
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
  const make = (choose: (client: pg.Client) => Promise<string>, template: string) =>
    onServer(url, async (client) => {
      const name = await choose(client);
      databases.push(name);
      const [made, from] = [name, template].map(pg.escapeIdentifier);
      await client.query(`create database ${made} template ${from}`);
      return name;
    });
  const server: ScratchServer = {
    createDatabase: async (copied) => {
      const template =
        copied === undefined ? 'template0' : decodeURIComponent(new URL(copied).pathname.slice(1));
      const name = await make(
        async (client) =>
          (await scheduledDatabase(client)) ?? `engine_scratch_${randomBytes(6).toString('hex')}`,
        template,
      );
      const address = new URL(url);
      address.pathname = `/${encodeURIComponent(name)}`;
      return address.href;
    },
    supplies: { createDatabase: (name) => make(async () => name, 'template0') },
    hideRoles: () =>
      onServer(url, async (client) => {
        for (const role of await listRoles(client)) {
          if (rolesBefore.has(role) || hidden.has(role)) continue;
          const name = `engine_scratch_${randomBytes(6).toString('hex')}`;
          hidden.add(name);
          const [from, to] = [role, name].map(pg.escapeIdentifier);
          await client.query(`alter role ${from} rename to ${to}`);
        }
      }),
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
