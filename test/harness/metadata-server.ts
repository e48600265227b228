/**
 * The metadata API as it is served, on a test database: the engine with the compiler, the HTTP endpoints before it. Source
 * `default` is the database of `sql`; its metadata lives in a database of its own.
 */
import type { FastifyInstance } from 'fastify';
import { compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { readConfiguration } from '../../runtime/configuration.ts';
import { MemoryBudget } from '../../runtime/core/memory/budget.ts';
import { linkProgram } from '../../runtime/core/program.ts';
import { createPlanner, forgetOtherViews, type Planner } from '../../runtime/core/request/planner.ts';
import { connectionUrl } from '../../runtime/database/connection-url.ts';
import { connectSource, type SourceConnection } from '../../runtime/database/source.ts';
import { metadataEndpoints } from '../../runtime/http/metadata.ts';
import { createServer } from '../../runtime/http/server.ts';
import type { RemoteSchema } from '../../runtime/metadata/metadata.ts';
import {
  answerRequest,
  type Compile,
  MetadataEngine,
  type MetadataStore,
  openMetadataStore,
} from '../../runtime/metadata-api/index.ts';
import { createLogger } from '../../runtime/observe.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { openAuthentication } from '../../runtime/session/authenticate.ts';
import { confidential, record } from './output.ts';
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
  /** What is served: the planner of the program that was swapped in last. */
  readonly served: () => Planner;
  stop(): Promise<void>;
}

/** Starts a server; a given metadata database makes it a restart, or a second instance. */
export async function startMetadataServer(
  sql: string,
  given: {
    metadataDatabase?: TestDatabase;
    database?: TestDatabase;
    /** Called before a program is loaded; what it throws is an error of loading. */
    beforeLoading?: () => Promise<void>;
    compile?: Compile;
    /** Introspects remote schemas; unless given, each has a root field of its own name. */
    readRemote?: (remote: RemoteSchema) => Promise<string>;
  } = {},
): Promise<MetadataServer> {
  const database = given.database ?? (await createTestDatabase(sql));
  const metadataDatabase = given.metadataDatabase ?? (await createTestDatabase());
  const store = await openMetadataStore(metadataDatabase.url);
  const configuration = readConfiguration({}, {});
  const loader = createLoader();
  let swaps = 0;
  let served: Planner | undefined;
  const engine = await MetadataEngine.start<SourceConnection>({
    store,
    compile: given.compile ?? compile,
    openSource: ({ configuration: { connection_info: info } }) =>
      connectSource(connectionUrl(info.database_url, info.ssl_configuration, { environment: {} }), {
        maxConnections: 4,
        idleTimeout: 10,
        retries: 0,
        connectionLifetime: 0,
        preparedStatements: 100,
        isolationLevel: info.isolation_level,
      }),
    readRemote:
      given.readRemote ??
      (async ({ name }) => `type Query { ${name}(id: Int): String } type Person { id: Int }`),
    options: { remoteSchemaPermissions: true, inferFunctionPermissions: true },
    initialMetadata: readMetadata({
      version: 3,
      sources: [
        { name: 'default', tables: [], configuration: { connection_info: { database_url: database.url } } },
      ],
    }).value,
    // As the serving thread does: what did not change is taken over from the program that is served.
    prepare: async (state) => {
      await given.beforeLoading?.();
      const generated = await loader.load(state.compilation.programFiles);
      const program = linkProgram(generated, { inferFunctionPermissions: true }, served?.program);
      const options = { stringifyNumbers: false, collapseNulls: false };
      const planner = createPlanner(program, options, undefined, served);
      const sources = new Map([...state.sources].map(([name, open]) => [name, open.database]));
      return {
        execution: { planner, sources },
        activate: () => {
          served = planner;
          forgetOtherViews(planner);
          swaps += 1;
        },
      };
    },
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
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
    swaps: () => swaps,
    served: () => served!,
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
