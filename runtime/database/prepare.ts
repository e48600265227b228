/** Has Postgres prepare statements without keeping them: what it types without an error, it can run. */
import pg from 'pg';
import { DatabaseClient } from './client.ts';
import { SESSION_SETTINGS } from './session-settings.ts';
import { PipelinedQuery } from './text-query.ts';
import type { ConnectionConfiguration } from './ways.ts';

/** Milliseconds to wait for the database to answer. */
const CONNECT_TIMEOUT = 10_000;

interface WireConnection {
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  sync(): void;
}

/** Parse into the unnamed statement, then Sync: failures are independent, and nothing stays prepared. */
class ParseQuery extends PipelinedQuery {
  readonly #text: string;
  readonly #settle: (error: Error | undefined) => void;

  constructor(text: string, settle: (error: Error | undefined) => void) {
    super();
    this.#text = text;
    this.#settle = settle;
  }

  submit(connection: WireConnection): null {
    connection.parse({ name: '', text: this.#text, types: [] });
    connection.sync();
    return null;
  }

  handleReadyForQuery(): void {
    this.#settle(undefined);
  }

  handleError(error: Error): void {
    this.#settle(error);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/**
 * Prepares every text, all of them on the way at once. Returns what Postgres says against each, at the same position.
 * @throws as `pg` does when the database cannot be reached or goes away
 */
export async function prepareAll(
  configuration: ConnectionConfiguration,
  texts: readonly string[],
): Promise<(pg.DatabaseError | undefined)[]> {
  if (texts.length === 0) return [];
  const client = new DatabaseClient({
    ...configuration,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    pipeline: true,
  });
  await client.connect();
  try {
    await client.query(SESSION_SETTINGS);
    return await Promise.all(texts.map((text) => prepare(client, text)));
  } finally {
    await client.end();
  }
}

function prepare(client: pg.Client, text: string): Promise<pg.DatabaseError | undefined> {
  return new Promise((resolve, reject) => {
    const query = new ParseQuery(text, (error) => {
      if (error === undefined || error instanceof pg.DatabaseError) resolve(error);
      else reject(error);
    });
    client.query(query as unknown as pg.Submittable);
  });
}
