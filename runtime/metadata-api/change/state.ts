/** The state that the metadata API changes, and the functions that it gets from its caller. */

import type { CatalogOrError } from '../../catalog/catalog.ts';
import type { RunQuery } from '../../catalog/index.ts';
import type { EventsProgram } from '../../core/contract/events.ts';
import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../../core/diagnostics/inconsistency.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { QueueQuery } from '../../database/queue/lease.ts';
import type { SourceConnection } from '../../database/source.ts';
import type {
  JsonObject,
  Metadata,
  RemoteSchema,
  Source,
  SourceConfiguration,
} from '../../metadata/metadata.ts';
import type { PreparedProgram } from '../../program/host.ts';
import type { CatalogStateKind } from '../store/store.ts';

/** Result of `compile`, as far as the metadata API reads it. */
export interface Compilation {
  readonly files: ReadonlyMap<string, string>;
  readonly programFiles: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent before the first compile. */
  readonly events?: EventsProgram;
}

/** The compiler, handed in by the composition root and loaded on demand. */
export type Compile = (
  input: {
    readonly metadata: Metadata;
    /** By name of the source. One that could not be read costs its source. */
    readonly catalogs: Readonly<Record<string, CatalogOrError>>;
    readonly remotes: Readonly<Record<string, RemoteOrError>>;
  },
  previous?: Compilation,
) => Compilation | Promise<Compilation>;

/** A connection to a source's database, as the metadata API uses it. */
export interface SourceDatabase {
  readonly query: RunQuery;
  /** A statement on Engine's own tables, which finds no names of users. */
  readonly maintain: SourceConnection['maintain'];
  /** Runs `use` with one connection of the pool, which is exclusive meanwhile. */
  withClient<Value>(use: (client: SqlClient) => Promise<Value>): Promise<Value>;
  end(): Promise<void>;
}

/** The part of `pg.Client` that run_sql and the data operations use. */
export interface SqlClient {
  // biome-ignore lint/suspicious/noExplicitAny: `pg` gives an untyped result, or a list of them for several statements.
  query(text: string | object, values?: readonly unknown[]): Promise<any>;
}

export interface OpenSource<Database extends SourceDatabase = SourceDatabase> {
  readonly configuration: SourceConfiguration;
  readonly database: Database;
}

/** Everything that belongs together at one version of the metadata. */
export interface MetadataState<Database extends SourceDatabase = SourceDatabase> {
  readonly metadata: Metadata;
  readonly resourceVersion: number;
  readonly catalogs: Readonly<Record<string, CatalogOrError>>;
  readonly remotes: Readonly<Record<string, RemoteOrError>>;
  readonly sources: ReadonlyMap<string, OpenSource<Database>>;
  readonly compilation: Compilation;
  readonly inconsistent: readonly InconsistentObject[];
  /** Its compiled result; absent until it was compiled. */
  readonly program?: PreparedProgram;
}

/** Functions that the copy needs from its caller. */
export interface CopyServices<Database extends SourceDatabase = SourceDatabase> {
  readonly compile: Compile;
  /** Opens the pool of a source. Throws if its address cannot be made out; connects with the first query. */
  readonly openSource: (source: Source) => Database;
  /** Introspects a remote schema: its SDL. @throws EngineError */
  readonly readRemote: (remote: RemoteSchema) => Promise<string>;
  /** A remote schema as its lock has it, which goes before what its server offers; undefined without a lock. */
  readonly lockedRemote: (name: string) => RemoteOrError | undefined;
  prepare(state: MetadataState<Database>): Promise<PreparedProgram>;
  /** A statement on the tables of cron and one-off events. */
  readonly queryMetadata: QueueQuery;
  /** To be called when there are new ones. */
  readonly scheduledChanged: () => void;
  readonly readCatalogState: () => Promise<JsonObject>;
  readonly writeCatalogState: (kind: CatalogStateKind, state: JsonObject) => Promise<void>;
  readonly options: MetadataOptions;
}

/** The server's options that operations ask for. */
export interface MetadataOptions {
  readonly vocabulary: Vocabulary;
  readonly remoteSchemaPermissions: boolean;
  readonly inferFunctionPermissions: boolean;
  /** What is generated is written to files (`engine dev`). */
  readonly writesFiles?: boolean;
  /** Below it may be the files that addresses are read from; none unless given. */
  readonly dynamicSecretsAllowedPathPrefix?: string | undefined;
}
