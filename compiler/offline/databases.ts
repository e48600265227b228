/** Databases of a compile without one: an embedded PostgreSQL that lives as long as the compile. */
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';
import { diagnostics as messages } from '../../runtime/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../runtime/diagnostics/diagnostic.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import type { Progress } from '../cli/progress.ts';
import { applyMigrations } from './apply.ts';
import { findMigrations, type SourceMigrations } from './migrations.ts';

export interface OfflineDatabases {
  /** Addresses by name of the source. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Migrations that are missing or failed: then there is nothing to compile against. */
  readonly diagnostics: readonly Diagnostic[];
  /** Stops the server and removes its data. They end with this process as well, however it ends. */
  close(): Promise<void>;
}

/** The folder of migrations cannot be read; the message says why. */
class MigrationsFolderError extends Error {
  override readonly name = 'MigrationsFolderError';
}

/**
 * Applies the migrations of the sources, each to a database of its own.
 * @throws MigrationsFolderError, EmbeddedPostgresError
 */
export async function openOffline(
  folder: string,
  sources: readonly Source[],
  progress: Progress,
): Promise<OfflineDatabases> {
  const found = readFolder(folder, sources);
  const missing = found.flatMap(missingMigrations);
  if (missing.length > 0 || found.length === 0)
    return { addresses: new Map(), diagnostics: missing, close: async () => {} };
  progress.step('starting an embedded PostgreSQL');
  const cluster = await startEmbeddedPostgres();
  try {
    progress.step('applying migrations');
    const databases = await Promise.all(
      found.map(async (migrations) => {
        const { source, files } = migrations as Extract<SourceMigrations, { files: unknown }>;
        const url = await cluster.createDatabase(`source ${source.name}`);
        return { source, url, failure: await applyMigrations(url, files) };
      }),
    );
    return {
      addresses: new Map(databases.map(({ source, url }) => [source.name, url])),
      diagnostics: databases.flatMap(({ source, failure }) => {
        if (!failure) return [];
        const { reason, advice, ...location } = failure;
        return [{ ...at(source.path, messages.migrationFailed({ reason, advice })), location }];
      }),
      close: () => cluster.stop(),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

function readFolder(folder: string, sources: readonly Source[]): SourceMigrations[] {
  try {
    return findMigrations(folder, sources);
  } catch (error) {
    const { code, message, path } = error as NodeJS.ErrnoException;
    throw new MigrationsFolderError(
      `The migrations in ${path ?? folder} cannot be read (${code ?? message}).`,
      { cause: error },
    );
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
