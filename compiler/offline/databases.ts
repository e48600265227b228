/** Databases of a compile without one, which live as long as the compile. */
import { createHash, randomUUID } from 'node:crypto';
import { messages } from '../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../runtime/core/diagnostics/diagnostic.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import { applyMigrations, type MigrationFailure } from './apply.ts';
import { LayoutError } from './layouts.ts';
import { findMigrations, type SourceMigrations } from './migrations.ts';
import { POSTGIS_EXTENSIONS, POSTGIS_PACKAGES, type Postgis, startPostgis } from './postgis.ts';
import type { Progress } from './progress.ts';
import { openScratch } from './scratch.ts';
import { type OfflineServer, startOwnServer } from './servers.ts';
import { shippedStubs } from './stubs.ts';

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

export interface OfflineOptions {
  /** Address of a server whose user may create databases. */
  readonly scratch?: string;
  /** SQL of stand-ins, by name of the extension. */
  readonly stubs: ReadonlyMap<string, string>;
}

/**
 * Applies the migrations of the sources, each to a database of its own: on the scratch server, else on an embedded PostgreSQL,
 * and where that lacks PostGIS on an embedded database that has it. Sources with the same migrations are copies of one database;
 * others share no roles.
 * @throws MigrationsFolderError, EmbeddedPostgresError, ScratchServerError
 */
export async function openOffline(
  folder: string,
  sources: readonly Source[],
  progress: Progress,
  options: OfflineOptions,
): Promise<OfflineDatabases> {
  const found = readFolder(folder, sources);
  const missing = found.flatMap(missingMigrations);
  if (missing.length > 0 || found.length === 0)
    return { addresses: new Map(), diagnostics: missing, close: async () => {} };
  const stops: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const stop of stops) await stop();
  };
  try {
    const servers = await openServers(options, stops);
    const addresses = new Map<string, string>();
    const diagnostics: Diagnostic[] = [];
    for (const group of sameMigrations(found as readonly Present[])) {
      progress.step('applying migrations');
      const applied = await servers.apply(group[0]!.files, () =>
        progress.step('applying migrations to an embedded database with PostGIS'),
      );
      for (const [index, { source }] of group.entries()) {
        if (applied.failure) diagnostics.push(describeFailure(source, applied.failure, options));
        else addresses.set(source.name, index === 0 ? applied.url : await applied.copy());
      }
      await servers.next();
    }
    return { addresses, diagnostics, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Present = Extract<SourceMigrations, { files: unknown }>;

function sameMigrations(found: readonly Present[]): Present[][] {
  const groups = new Map<string, Present[]>();
  for (const each of found) {
    const hash = createHash('sha256');
    for (const { text } of each.files) hash.update(`${text.length} `).update(text);
    const key = hash.digest('hex');
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

interface Applied {
  readonly url: string;
  readonly failure: MigrationFailure | undefined;
  /** Makes a copy of the database. Returns its address. */
  readonly copy: () => Promise<string>;
}

interface Servers {
  apply(files: Present['files'], onPostgis: () => void): Promise<Applied>;
  /** Ends the migrations of a source. */
  next(): Promise<void>;
}

/** @param stops receives what ends the servers */
async function openServers(
  { scratch, stubs }: OfflineOptions,
  stops: (() => Promise<void>)[],
): Promise<Servers> {
  const apply = async (server: OfflineServer, files: Present['files']): Promise<Applied> => {
    const url = await server.createDatabase();
    const failure = await applyMigrations(url, files, server.supplies);
    return { url, failure, copy: () => server.createDatabase(url) };
  };
  if (scratch !== undefined) {
    const server = await openScratch(scratch);
    stops.push(server.stop);
    return { apply: (files) => apply(server, files), next: server.hideRoles };
  }
  let postgis: Postgis | undefined;
  return {
    apply: async (files, onPostgis) => {
      const server = await startOwnServer(stubs);
      stops.push(server.stop);
      const applied = await apply(server, files);
      if (!needsPostgis(applied.failure)) return applied;
      if (!postgis) {
        postgis = await startPostgis();
        if (!postgis) return applied;
        stops.push(postgis.stop);
      }
      await server.stop();
      onPostgis();
      return apply(await openPostgisDatabase(postgis, stubs), files);
    },
    next: async () => {},
  };
}

/** A database of its own is a server of its own there. */
async function openPostgisDatabase(
  postgis: Postgis,
  stubs: ReadonlyMap<string, string>,
): Promise<OfflineServer> {
  const newName = () => `source_${randomUUID()}`;
  const name = newName();
  const url = await postgis.createDatabase(name);
  return {
    createDatabase: async (copied) => (copied === undefined ? url : postgis.createDatabase(newName(), name)),
    supplies: stubs.size > 0 ? { stubs: await postgis.installStubs(name, stubs) } : {},
    stop: async () => {},
  };
}

function needsPostgis(failure: MigrationFailure | undefined): boolean {
  return failure?.extension !== undefined && POSTGIS_EXTENSIONS.includes(failure.extension);
}

/** A failure as a diagnostic of the source. */
export function describeFailure(
  source: Source,
  failure: MigrationFailure,
  { scratch }: Pick<OfflineOptions, 'scratch'>,
): Diagnostic {
  const { reason, advice, extension, ...location } = failure;
  const isScratch = scratch !== undefined;
  const problem =
    extension === undefined
      ? messages.migrationFailed({ reason, advice })
      : messages.extensionUnavailable({
          extension,
          server: isScratch ? 'scratch server' : 'embedded PostgreSQL',
          packages: !isScratch && needsPostgis(failure) ? POSTGIS_PACKAGES : undefined,
          stub: isScratch ? undefined : stubOption(extension),
        });
  return { ...at(source.path, problem), location };
}

function stubOption(extension: string): string {
  const isShipped = shippedStubs().includes(extension);
  return `--stub-extension ${extension}${isShipped ? '' : '=FILE, SQL that declares those of its types and functions that are used'}`;
}

/** @throws MigrationsFolderError */
export function readFolder(folder: string, sources: readonly Source[]): SourceMigrations[] {
  try {
    return findMigrations(folder, sources);
  } catch (error) {
    if (error instanceof LayoutError) throw new MigrationsFolderError(error.message);
    const { path } = error as NodeJS.ErrnoException;
    const message = `The migrations in ${path ?? folder} cannot be read: ${fileProblem(error)}.`;
    throw new MigrationsFolderError(message, { cause: error });
  }
}

/** What is said of a source without migrations. */
export function missingMigrations(found: SourceMigrations): Diagnostic[] {
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
