/**
 * The metadata API as it is served, on a test database: the engine with the compiler, the HTTP endpoints before it. Source
 * `default` is the database of `sql`; its metadata lives in a database of its own.
 */

import type { FastifyInstance } from 'fastify';
import { readConfiguration } from '../../runtime/configuration/configuration.ts';
import { MemoryBudget } from '../../runtime/core/memory/budget.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { metadataEndpoints } from '../../runtime/http/metadata.ts';
import { createServer } from '../../runtime/http/server.ts';
import { answerRequest, type MetadataStore, openMetadataStore } from '../../runtime/metadata-api/index.ts';
import { createLogger } from '../../runtime/observe/logs/logger.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { openAuthentication } from '../../runtime/session/authenticate.ts';
import { type ServedEngine, startMetadataEngine } from './metadata-engine.ts';
import { confidential, record } from './output.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface MetadataServer extends ServedEngine {
  readonly app: FastifyInstance;
  readonly store: MetadataStore;
  readonly database: TestDatabase;
  readonly metadataDatabase: TestDatabase;
  /** Sends a request as an administrator, or as another role. */
  send(
    body: unknown,
    options?: { path?: string; role?: string; variables?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; answer: unknown }>;
  stop(): Promise<void>;
}

/** Starts a server; a given metadata database makes it a restart, or a second instance. */
export async function startMetadataServer(
  sql: string,
  given: {
    metadataDatabase?: TestDatabase;
    database?: TestDatabase;
  } & Parameters<typeof startMetadataEngine>[2] = {},
): Promise<MetadataServer> {
  const database = given.database ?? (await createTestDatabase(sql));
  const metadataDatabase = given.metadataDatabase ?? (await createTestDatabase());
  const store = await openMetadataStore(metadataDatabase.url, CANONICAL);
  const configuration = readConfiguration({}, {});
  const { engine, served, swaps } = await startMetadataEngine(store, database.url, given);
  confidential.add(new URL(database.url).password);
  const observe = createLogger(configuration, { write: record });
  const { authenticate } = await openAuthentication(
    configuration,
    createOutgoing(),
    observe,
    new MemoryBudget(),
  );
  const app = createServer({ configuration, observe, authenticate }, [
    metadataEndpoints((path, body, requester) => answerRequest(engine, path, body, requester)),
  ]);
  return {
    app,
    engine,
    store,
    database,
    metadataDatabase,
    swaps,
    served,
    send: async (body, { path = '/v1/metadata', role, variables = {} } = {}) => {
      const response = await app.inject({
        method: 'POST',
        url: path,
        headers: {
          'content-type': 'application/json',
          ...variables,
          ...(role !== undefined && { 'x-engine-role': role }),
        },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: response.statusCode, answer: response.json() };
    },
    stop: async () => {
      await app.close();
      await engine.stop();
      await store.close();
    },
  };
}
