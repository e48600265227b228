/** The project of a command: metadata, and the catalog of every source with the database it was read from. */

import { existsSync } from 'node:fs';
import type { CatalogOrError } from '../../runtime/catalog/catalog.ts';
import { readCatalogFile } from '../../runtime/catalog/index.ts';
import {
  ConfigurationError,
  namingOptions,
  readConfiguration,
  servingOptions,
} from '../../runtime/configuration/configuration.ts';
import { type Diagnostic, hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import type { NamingOptions } from '../../runtime/core/names.ts';
import type { SavedOptions } from '../../runtime/core/saved/saved.ts';
import { isUnset } from '../../runtime/database/connection-url.ts';
import type { ConnectionConfiguration } from '../../runtime/database/ways.ts';
import type { Metadata, Source } from '../../runtime/metadata/metadata.ts';
import { type CompileInput, type CompileResult, compile } from '../index.ts';
import { type OfflineDatabases, openOffline } from '../offline/databases.ts';
import type { Progress } from '../offline/progress.ts';
import { readStubs, StubError } from '../offline/stubs.ts';
import { type FileResult, readMetadataFile } from '../phases/1-read/index.ts';
import { type CatalogOptions, databaseOf, readCatalog } from '../phases/2-introspect/index.ts';
import { readRemotes } from '../phases/2-introspect/remote-schemas.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { type CommandContext, UsageError } from './command.ts';
import { withRemoteReader } from './remote-reader.ts';

export interface ProjectOptions {
  readonly metadata: string;
  /** Folder of migrations, for sources without an address. */
  readonly migrations?: string;
  /** Address of the server that migrations are applied on, instead of an embedded one. */
  readonly scratch?: string;
  /** `NAME=FILE` or `NAME`: stand-ins for extensions that the embedded server lacks. */
  readonly stubExtension?: readonly string[];
  readonly catalog?: string;
  /** NAME → URL. */
  readonly source?: ReadonlyMap<string, string>;
  readonly databaseUrl?: string;
  readonly experimentalFeatures?: string;
  readonly defaultNamingConvention?: string;
}

export interface Project {
  readonly read: FileResult;
  /** Metadata to compile; remote schemas of locks, or as the servers offer them. */
  readonly input: Omit<CompileInput, 'serving'> & { readonly serving: SavedOptions };
  /** By source; absent for sources with a saved or unreadable catalog. */
  readonly databases: ReadonlyMap<string, ConnectionConfiguration>;
  /** Those of them that were made of migrations and end with the command: it may write to them. */
  readonly made: ReadonlyMap<string, ConnectionConfiguration>;
  /** Reasons why catalogs are missing. Nothing can be compiled then. */
  readonly obstacles: readonly Diagnostic[];
}

/** What `engine init` puts beside the metadata, and `engine dev` reads, in the order in which it does. */
export function besideMetadata(): Pick<ProjectOptions, 'migrations' | 'catalog'> {
  if (existsSync('migrations')) return { migrations: 'migrations' };
  return existsSync('catalog.json') ? { catalog: 'catalog.json' } : {};
}

/**
 * Opens a project for as long as `use` takes.
 * @throws UsageError, CatalogFileError, MigrationsFolderError, EmbeddedPostgresError,
 * ScratchServerError
 */
export async function withProject<Result>(
  options: ProjectOptions,
  context: CommandContext,
  progress: Progress,
  use: (project: Project) => Promise<Result>,
): Promise<Result> {
  if (options.scratch !== undefined && options.migrations === undefined)
    throw new UsageError('--scratch is the server that migrations are applied on: give --migrations, too.');
  const stubs = readStubOptions(options);
  const { vocabulary } = context;
  const read = readMetadataFile(options.metadata, context);
  const { naming, serving, allowedFolder } = readSettings(options, read.value, context);
  const addresses = new Map(options.source);
  if (options.databaseUrl !== undefined && !addresses.has('default'))
    addresses.set('default', options.databaseUrl);
  const isSaid = options.migrations !== undefined || options.catalog !== undefined;
  const lacksAddress = ({ name, configuration }: Source) =>
    !addresses.has(name) && isUnset(configuration.connection_info.database_url, context.environment);
  const { migrations, catalog } =
    !isSaid && read.value.sources.some(lacksAddress) ? besideMetadata() : options;
  const saved = catalog === undefined ? undefined : await readCatalogFile(catalog);
  const isOffline = ({ name }: Source) =>
    !addresses.has(name) && !(saved && Object.hasOwn(saved.sources, name));
  const sources = read.value.sources.filter(isOffline);
  const offline: OfflineDatabases | undefined =
    migrations === undefined
      ? undefined
      : await openOffline(migrations, isSaid ? sources : sources.filter(lacksAddress), progress, {
          ...options,
          stubs,
        });
  try {
    const catalogOptions: CatalogOptions = {
      ...(saved && { saved }),
      addresses: new Map([...addresses, ...(offline?.addresses ?? [])]),
      environment: context.environment,
      allowedFolder,
      vocabulary,
    };
    const obstacles = (offline?.diagnostics ?? []).map((diagnostic) => locate(diagnostic, read));
    const catalogs = obstacles.length > 0 ? {} : await readCatalogs(read.value, catalogOptions, progress);
    const databases = new Map(
      read.value.sources.flatMap((source) => {
        const readable = catalogs[source.name] && !('error' in catalogs[source.name]!);
        const database = readable ? databaseOf(source, catalogOptions) : undefined;
        return database ? [[source.name, database] as const] : [];
      }),
    );
    const remotes = await withRemoteReader(context, read.value, (readRemote) =>
      readRemotes(read.value.remote_schemas, options.metadata, readRemote),
    );
    const { value: metadata, diagnostics: unread, origin } = read;
    const input = { metadata, unread, origin, catalogs, remotes, naming, vocabulary, serving };
    const made = new Map([...databases].filter(([name]) => offline?.addresses.has(name)));
    return await use({ read, input, databases, made, obstacles });
  } finally {
    progress.end();
    await offline?.close();
  }
}

/** @throws UsageError */
function readStubOptions({ stubExtension = [], migrations, scratch }: ProjectOptions): Map<string, string> {
  if (stubExtension.length > 0 && (migrations === undefined || scratch !== undefined))
    throw new UsageError(
      '--stub-extension installs a stub on the embedded PostgreSQL: give --migrations, and no --scratch.',
    );
  return stubsOf(stubExtension);
}

/**
 * Compiles a project for a command that prints a part of what would be served. Errors go to standard error.
 * @returns undefined if the metadata or a catalog cannot be read
 */
export function compileReadable(
  { read, input, obstacles }: Project,
  context: CommandContext,
  progress: Progress,
): CompileResult | undefined {
  const result = compile(input);
  const diagnostics = [...read.diagnostics, ...(obstacles.length > 0 ? obstacles : result.diagnostics)];
  progress.end();
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) context.stderr(renderDiagnostics(errors, read.origin.describe));
  const isUnread = Object.values(input.catalogs).some((catalog) => 'error' in catalog);
  return hasErrors(read.diagnostics) || obstacles.length > 0 || isUnread ? undefined : result;
}

function locate(diagnostic: Diagnostic, { origin }: FileResult): Diagnostic {
  const location = diagnostic.location ?? origin.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}

/** Names and serving options, as the command line and the environment say. @throws UsageError */
function readSettings(
  options: ProjectOptions,
  metadata: Metadata,
  { environment, vocabulary }: CommandContext,
): Pick<CatalogOptions, 'allowedFolder'> & { naming: NamingOptions; serving: SavedOptions } {
  const unknown = [...(options.source?.keys() ?? [])].filter(
    (name) => !metadata.sources.some((source) => source.name === name),
  );
  if (unknown.length > 0 && metadata.sources.length > 0)
    throw new UsageError(
      `The metadata has no source "${unknown.join('", "')}". Its sources: ${metadata.sources.map(({ name }) => name).join(', ')}.`,
    );
  const { experimentalFeatures, defaultNamingConvention } = options;
  let configuration: ReturnType<typeof readConfiguration>;
  try {
    configuration = readConfiguration(
      { vocabulary: vocabulary.word, experimentalFeatures, defaultNamingConvention },
      environment,
    );
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
  return {
    allowedFolder: configuration.dynamicSecretsAllowedPathPrefix,
    serving: servingOptions(configuration),
    naming: namingOptions(configuration),
  };
}

/** One after the other: an embedded database with PostGIS takes half a gigabyte of memory while it is used. */
async function readCatalogs(
  metadata: Metadata,
  options: CatalogOptions,
  progress: Progress,
): Promise<Record<string, CatalogOrError>> {
  const catalogs: Record<string, CatalogOrError> = {};
  for (const source of metadata.sources) {
    progress.step(`reading the catalog of source "${source.name}"`);
    catalogs[source.name] = await readCatalog(source, options);
  }
  return catalogs;
}

/** Stubs by extension, as `--stub-extension` names them. @throws UsageError */
export function stubsOf(given: readonly string[]): Map<string, string> {
  try {
    return readStubs(given);
  } catch (error) {
    if (error instanceof StubError) throw new UsageError(error.message);
    throw error;
  }
}
