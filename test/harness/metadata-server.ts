/**
 * The metadata API as it is served, on a test database: the engine with the compiler, the HTTP endpoints before it. Source
 * `default` is the database of `sql`; its metadata lives in a database of its own.
 */
import type { FastifyInstance } from 'fastify';
import { compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { readConfiguration } from '../../runtime/configuration.ts';
import { linkProgram } from '../../runtime/core/program.ts';
import { createPlanner } from '../../runtime/core/request/planner.ts';
import { connectionUrl } from '../../runtime/database/connection-url.ts';
import { connectSource, type SourceConnection } from '../../runtime/database/source.ts';
import { metadataEndpoints } from '../../runtime/http/metadata.ts';
import { createServer } from '../../runtime/http/server.ts';
import {
  answerRequest,
  MetadataEngine,
  type MetadataStore,
  openMetadataStore,
} from '../../runtime/metadata/index.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { openAuthentication } from '../../runtime/session/authenticate.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface MetadataServer {
  readonly app: FastifyInstance;
  readonly engine: MetadataEngine<SourceConnection>;
  readonly store: MetadataStore;
  readonly database: TestDatabase;
  readonly metadataDatabase: TestDatabase;
  /** Sends a request as an administrator, or as another role. */
  send(
    body: unknown,
    options?: { path?: string; role?: string; variables?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; answer: unknown }>;
  /** How often a program has been swapped in. */
  readonly swaps: () => number;
  stop(): Promise<void>;
}

/** Starts a server; a given metadata database makes it a restart, or a second instance. */
export async function startMetadataServer(
  sql: string,
  given: { metadataDatabase?: TestDatabase; database?: TestDatabase } = {},
): Promise<MetadataServer> {
  const database = given.database ?? (await createTestDatabase(sql));
  const metadataDatabase = given.metadataDatabase ?? (await createTestDatabase());
  const store = await openMetadataStore(metadataDatabase.url);
  const configuration = readConfiguration({}, {});
  const loader = createLoader();
  let swaps = 0;
  const engine = await MetadataEngine.start<SourceConnection>({
    store,
    compile,
    openSource: ({ configuration: { connection_info: info } }) =>
      connectSource(connectionUrl(info.database_url, info.ssl_configuration, { environment: {} }), {
        maxConnections: 4,
        idleTimeout: 10,
        retries: 0,
        connectionLifetime: 0,
        preparedStatements: 100,
        isolationLevel: info.isolation_level,
      }),
    options: { remoteSchemaPermissions: true, inferFunctionPermissions: true },
    initialMetadata: readMetadata({
      version: 3,
      sources: [
        { name: 'default', tables: [], configuration: { connection_info: { database_url: database.url } } },
      ],
    }).value,
    prepare: async (state) => {
      const program = linkProgram(await loader.load(state.compilation.files), {
        inferFunctionPermissions: true,
      });
      const planner = createPlanner(program, { stringifyNumbers: false, collapseNulls: false });
      const sources = new Map([...state.sources].map(([name, open]) => [name, open.database]));
      return {
        execution: { planner, sources },
        activate: () => {
          swaps += 1;
        },
      };
    },
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const observe = Object.assign(
    (observation: { readonly kind: string; readonly error?: unknown }) => {
      if (observation.kind === 'unhandled-internal-error') console.error(observation.error);
    },
    { flush: () => {} },
  );
  const { authenticate } = await openAuthentication(configuration, observe);
  const app = createServer({ configuration, observe, authenticate }, [
    metadataEndpoints((path, body, session) => answerRequest(engine, path, body, session)),
  ]);
  return {
    app,
    engine,
    store,
    database,
    metadataDatabase,
    swaps: () => swaps,
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
