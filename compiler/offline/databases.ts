/** Databases of a compile without one, which live as long as the compile. */
import { fileProblem } from '../../runtime/core/reasons.ts';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { diagnostics as messages } from '../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../runtime/diagnostics/diagnostic.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import type { Progress } from '../cli/progress.ts';
import { applyMigrations, type MigrationFailure } from './apply.ts';
import { findMigrations, type SourceMigrations } from './migrations.ts';
import { POSTGIS_EXTENSIONS, POSTGIS_PACKAGES, startPostgis } from './postgis.ts';
import { type OfflineServer, openScratch } from './scratch.ts';

export interface OfflineDatabases {
  /** Addresses by name of the source. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Migrations that are missing or failed: then there is nothing to compile against. */
  readonly diagnostics: readonly Diagnostic[];
  /** Stops the servers and removes the data. Embedded ones end with this process as well, however it ends. */
  close(): Promise<void>;
}

/** The folder of migrations cannot be read; the message says why. */
class MigrationsFolderError extends Error {
  override readonly name = 'MigrationsFolderError';
}

/**
 * Applies the migrations of the sources, each to a database of its own: on the scratch server, else on an embedded PostgreSQL,
 * and where that lacks PostGIS on an embedded database that has it.
 * @param scratch address of a server whose user may create databases
 * @throws MigrationsFolderError, EmbeddedPostgresError, ScratchServerError
 */
export async function openOffline(
  folder: string,
  sources: readonly Source[],
  progress: Progress,
  scratch: string | undefined,
): Promise<OfflineDatabases> {
  const found = readFolder(folder, sources);
  const missing = found.flatMap(missingMigrations);
  if (missing.length > 0 || found.length === 0)
    return { addresses: new Map(), diagnostics: missing, close: async () => {} };
  const servers: OfflineServer[] = [];
  const close = async () => {
    for (const server of servers) await server.stop();
  };
  try {
    if (scratch === undefined) progress.step('starting an embedded PostgreSQL');
    const server = scratch === undefined ? await startEmbeddedPostgres() : await openScratch(scratch);
    servers.push(server);
    progress.step('applying migrations');
    const applied: Applied[] = [];
    // One after the other: roles belong to the server, and two sources may make the same.
    for (const each of found as readonly Present[]) applied.push(await applyTo(server, each));
    const again = scratch === undefined ? applied.filter(({ failure }) => needsPostgis(failure)) : [];
    const postgis = again.length > 0 ? await startPostgis() : undefined;
    if (postgis) {
      servers.push(postgis);
      progress.step('applying migrations to an embedded database with PostGIS');
      for (const { migrations } of again)
        applied[found.indexOf(migrations)] = await applyTo(postgis, migrations);
    }
    return {
      addresses: new Map(applied.map(({ migrations: { source }, url }) => [source.name, url])),
      diagnostics: applied.flatMap(({ migrations: { source }, failure }) =>
        failure ? [describeFailure(source, failure, scratch !== undefined)] : [],
      ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Present = Extract<SourceMigrations, { files: unknown }>;

interface Applied {
  readonly migrations: Present;
  readonly url: string;
  readonly failure: MigrationFailure | undefined;
}

async function applyTo(server: OfflineServer, migrations: Present): Promise<Applied> {
  const url = await server.createDatabase(`source ${migrations.source.name}`);
  return { migrations, url, failure: await applyMigrations(url, migrations.files) };
}

function needsPostgis(failure: MigrationFailure | undefined): boolean {
  return failure?.extension !== undefined && POSTGIS_EXTENSIONS.includes(failure.extension);
}

function describeFailure(source: Source, failure: MigrationFailure, isScratch: boolean): Diagnostic {
  const { reason, advice, extension, ...location } = failure;
  const problem =
    extension === undefined
      ? messages.migrationFailed({ reason, advice })
      : messages.extensionUnavailable({
          extension,
          server: isScratch ? 'scratch server' : 'embedded PostgreSQL',
          packages: !isScratch && needsPostgis(failure) ? POSTGIS_PACKAGES : undefined,
        });
  return { ...at(source.path, problem), location };
}

function readFolder(folder: string, sources: readonly Source[]): SourceMigrations[] {
  try {
    return findMigrations(folder, sources);
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException;
    const message = `The migrations in ${path ?? folder} cannot be read: ${fileProblem(error)}.`;
    throw new MigrationsFolderError(message, { cause: error });
  }
}

function missingMigrations(found: SourceMigrations): Diagnostic[] {
  const { source } = found;
  if ('missing' in found)
    return [
      at(
        source.path,
        messages.migrationsMissing({
          source: source.name,
          folder: found.missing,
          ...(found.nearest !== undefined && { nearest: found.nearest }),
        }),
      ),
    ];
  return found.files.length === 0
    ? [at(source.path, messages.migrationsEmpty({ folder: found.folder }))]
    : [];
}
