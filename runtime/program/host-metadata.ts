/** Serves metadata: reads it from the metadata database, compiles it, and serves what the metadata API changes. */
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../core/errors.ts';
import type { SourceConnection } from '../database/source.ts';
import { metadataEndpoints } from '../http/metadata.ts';
import { describeConnectionError } from '../metadata/connection-error.ts';
import type { MetadataStore } from '../metadata/index.ts';
import type { Host, HostContext } from './host.ts';
import { createLoader } from './loader.ts';
import { openSource } from './sources.ts';

/** Milliseconds between attempts to reach the metadata database. */
const RETRY_DELAY = 1000;

/** @throws EngineError when the metadata database cannot be reached */
export async function hostMetadata(context: HostContext): Promise<Host> {
  const { configuration, observe } = context;
  // On demand: a server of a compiled folder loads neither.
  const [metadata, compiler] = await Promise.all([
    import('../metadata/index.ts'),
    import('../../compiler/index.ts'),
  ]);
  const { readMetadata } = await import('../../compiler/phases/1-read/index.ts');
  const initial = initialMetadata(context);
  const store = await openStore(metadata.openMetadataStore, context);
  observe({
    kind: 'startup',
    step: 'postgres_connection',
    info: { message: 'connected to the metadata database' },
  });
  const report = (message: string, error: unknown) => {
    observe({ kind: 'unhandled-internal-error', error: new Error(message, { cause: error }) });
  };
  const loader = createLoader();
  const naming = {
    enabled: configuration.experimentalFeatures.includes('naming_convention'),
    default: configuration.defaultNamingConvention,
  };
  try {
    const engine = await metadata.MetadataEngine.start<SourceConnection>({
      store,
      compile: (input, previous) => compiler.compile({ ...input, naming }, previous),
      openSource: (source) => openSource(source.configuration.connection_info, context),
      options: {
        remoteSchemaPermissions: configuration.enableRemoteSchemaPermissions,
        inferFunctionPermissions: configuration.inferFunctionPermissions,
      },
      ...(initial ? { initialMetadata: readMetadata(initial).value } : {}),
      prepare: async ({ compilation, sources }) => {
        const program = await loader.load(compilation.files);
        const connections = new Map([...sources].map(([name, { database }]) => [name, database]));
        return context.prepare(program, connections);
      },
      report,
    });
    const stopWatching = metadata.keepCurrent(engine, store, configuration.schemaSyncPollInterval, report);
    const { inconsistent } = engine.state;
    if (inconsistent.length > 0) {
      observe({
        kind: 'metadata',
        level: 'warn',
        message: 'inconsistent objects are not served',
        info: inconsistent,
      });
    }
    return {
      endpoints: [
        metadataEndpoints((path, body) => {
          const request = metadata.readRequest(path, body);
          return {
            anyRole: request.anyRole,
            run: async (session) => metadata.answerText(await engine.execute(request, session)),
          };
        }),
      ],
      health: async () => {
        try {
          await store.readVersion();
        } catch {
          return 'unreachable';
        }
        return engine.state.inconsistent.length > 0 ? 'inconsistent' : 'ok';
      },
      stop: async () => {
        stopWatching();
        await engine.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openStore(
  open: (url: string) => Promise<MetadataStore>,
  context: HostContext,
): Promise<MetadataStore> {
  const { metadataDatabaseUrl, databaseUrl, retries } = context.configuration;
  const url = metadataDatabaseUrl ?? databaseUrl;
  if (url === undefined) {
    throw new EngineError(
      'invalid-configuration',
      'no database: give --metadata-database-url (ENGINE_GRAPHQL_METADATA_DATABASE_URL) or --database-url (ENGINE_GRAPHQL_DATABASE_URL)',
    );
  }
  for (let attempt = 0; ; attempt++) {
    try {
      return await open(url);
    } catch (error) {
      if (attempt >= retries) {
        const reason = describeConnectionError(error);
        throw new EngineError('postgres-error', `the metadata database cannot be used: ${reason}`, {
          cause: error,
        });
      }
      context.observe({
        kind: 'unstructured',
        level: 'warn',
        message: 'the metadata database does not answer, trying again',
      });
      await delay(RETRY_DELAY);
    }
  }
}

/** What a new metadata database begins with: the source `default`, if a database is named. */
function initialMetadata({ configuration, environment }: HostContext): object | undefined {
  const { databaseUrl, txIso } = configuration;
  if (databaseUrl === undefined) return undefined;
  const variable = 'ENGINE_GRAPHQL_DATABASE_URL';
  const address = environment[variable] === databaseUrl ? { from_env: variable } : databaseUrl;
  const connectionInfo = { database_url: address, isolation_level: txIso };
  return {
    version: 3,
    sources: [
      { name: 'default', kind: 'postgres', tables: [], configuration: { connection_info: connectionInfo } },
    ],
  };
}
