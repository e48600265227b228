/** The engine of the metadata API with compiler and loader, in this process: what it accepts is served by a planner. */

import { compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { linkProgram } from '../../runtime/core/program/program.ts';
import { createPlanner, forgetOtherSchemas, type Planner } from '../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { connectionUrl } from '../../runtime/database/connection-url.ts';
import { connectSource, type SourceConnection } from '../../runtime/database/source.ts';
import type { RemoteSchema } from '../../runtime/metadata/metadata.ts';
import { type Compile, MetadataEngine, type MetadataStore } from '../../runtime/metadata-api/index.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { metadataOf } from './metadata.ts';

export interface ServedEngine {
  readonly engine: MetadataEngine<SourceConnection>;
  /** What is served: the planner of the program that was swapped in last. */
  readonly served: () => Planner;
  /** How often a program has been swapped in. */
  readonly swaps: () => number;
}

/** Starts on what is stored; at first that is a source `default` at `defaultUrl`, without tables. */
export async function startMetadataEngine(
  store: MetadataStore,
  defaultUrl: string,
  given: {
    /** Called before a program is loaded; what it throws is an error of loading. */
    readonly beforeLoading?: (() => Promise<void>) | undefined;
    readonly compile?: Compile | undefined;
    /** Introspects remote schemas; unless given, each has a root field of its own name. */
    readonly readRemote?: ((remote: RemoteSchema) => Promise<string>) | undefined;
  } = {},
): Promise<ServedEngine> {
  const loader = createLoader();
  let swaps = 0;
  let served: Planner | undefined;
  const engine = await MetadataEngine.start<SourceConnection>({
    store,
    compile: given.compile ?? compile,
    openSource: ({ configuration: { connection_info: info } }) =>
      connectSource(
        connectionUrl(info.database_url, info.ssl_configuration, { environment: {}, vocabulary: CANONICAL }),
        {
          vocabulary: CANONICAL,
          maxConnections: 4,
          idleTimeout: 10,
          retries: 0,
          connectionLifetime: 0,
          preparedStatements: 100,
          isolationLevel: info.isolation_level,
        },
      ),
    readRemote:
      given.readRemote ??
      (async ({ name }) => `type Query { ${name}(id: Int): String } type Person { id: Int }`),
    options: { vocabulary: CANONICAL, remoteSchemaPermissions: true, inferFunctionPermissions: true },
    initialMetadata: readMetadata(metadataOf([], {}, defaultUrl)).value,
    // As the serving thread does: what did not change is taken over from the program that is served.
    prepare: async (state) => {
      await given.beforeLoading?.();
      const generated = await loader.load(state.compilation.programFiles);
      const program = linkProgram(generated, { inferFunctionPermissions: true }, served?.program);
      const options = { stringifyNumbers: false, collapseNulls: false };
      const planner = createPlanner(program, options, undefined, served);
      const sources = new Map([...state.sources].map(([name, open]) => [name, open.database]));
      return {
        runnable: { planner, sources },
        activate: () => {
          served = planner;
          forgetOtherSchemas(planner);
          swaps += 1;
        },
      };
    },
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  return { engine, served: () => served!, swaps: () => swaps };
}
