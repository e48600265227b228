/** The database that a campaign fills again and again, dropped at its end. */
import pg from 'pg';
import type { RunQuery } from '../../runtime/catalog/introspect.ts';
import { READER_SETTINGS } from '../../runtime/database/read-database.ts';

export interface ScratchDatabase {
  readonly url: string;
  /** The name as an SQL identifier. */
  readonly name: string;
  readonly client: pg.Client;
  /** Reads catalogs, over one connection. */
  readonly reader: RunQuery;
  drop(): Promise<void>;
}

/** Makes the database; its texts sort by their bytes, as in TypeScript. @param settings texts like `timezone = 'UTC'` */
export async function createScratchDatabase(
  serverUrl: string,
  database: string,
  settings: readonly string[] = [],
): Promise<ScratchDatabase> {
  const onServer = async (...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const name = pg.escapeIdentifier(database);
  await onServer(
    `create database ${name} template template0 encoding 'UTF8' locale_provider libc locale 'C'`,
    ...['client_min_messages = warning', ...settings].map((text) => `alter database ${name} set ${text}`),
  );
  const address = new URL(serverUrl);
  address.pathname = `/${encodeURIComponent(database)}`;
  const connect = async () => {
    const client = new pg.Client({ connectionString: address.href });
    // Between statements a lost connection would end the campaign without its report; the next statement fails and says it.
    client.on('error', (error) => console.error(`The database of the campaign: ${error.message}`));
    await client.connect();
    return client;
  };
  const [client, reading] = [await connect(), await connect()];
  await reading.query(READER_SETTINGS);
  return {
    url: address.href,
    name,
    client,
    reader: (sql, values) => reading.query(sql, values && [...values]),
    drop: async () => {
      await Promise.all([client.end(), reading.end()]);
      for (;;) {
        try {
          return await onServer(`drop database ${name} with (force)`);
        } catch (error) {
          // A backend that plans a large statement of a killed server looks late whether it is to end.
          if ((error as pg.DatabaseError).code !== '55006') throw error;
        }
      }
    },
  };
}
