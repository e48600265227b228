/**
 * The development databases: an embedded PostgreSQL that is kept in the project, with a database for each source without an
 * address. What was applied is written beside it. Further migrations are applied to it; where that is not all that changed, a new
 * cluster takes its place, and the former one is kept until the next time: roles belong to a cluster, so only a new one is as
 * the migrations say.
 * @rule When is the database of `engine dev` made anew?
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { readCatalogFile } from '../../runtime/catalog/index.ts';
import type { Diagnostic } from '../../runtime/core/diagnostics/diagnostic.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import { StartError } from '../../runtime/server/start-error.ts';
import { applyMigrations } from '../offline/apply.ts';
import { describeFailure, missingMigrations, readFolder } from '../offline/databases.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../offline/embedded.ts';
import type { MigrationFile } from '../offline/migrations.ts';
import { createStandIn } from '../offline/stand-in.ts';
import { installStubs } from '../offline/stubs.ts';

export interface DevelopmentFiles {
  /** Folder of the clusters. */
  readonly folder: string;
  /** Folder or file, which need not exist, as for the others. */
  readonly migrations: string | undefined;
  /** Folder or file, applied after the migrations. */
  readonly seed: string | undefined;
  /** Saved catalog, for sources without migrations: their tables are made after it. */
  readonly catalog: string | undefined;
  /** SQL of stand-ins for extensions, by name. */
  readonly stubs: ReadonlyMap<string, string>;
}

export interface DatabasesUpdate {
  /** `replaced`: addresses are others now, and the former cluster runs until it is retired. */
  readonly outcome: 'same' | 'extended' | 'replaced' | 'failed';
  /** What was done, for a person. */
  readonly said?: string;
  /** Why nothing was done. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Hashes of the files that were applied to a database, in order. */
interface Applied {
  readonly schema: readonly string[];
  readonly seed: readonly string[];
}

/** What is written beside the clusters. */
interface State {
  /** Folder of the cluster that is used. */
  readonly cluster: string;
  /** The one before the last replacement, and where it really is. */
  readonly former?: Pick<State, 'cluster' | 'applied'> & { readonly place: string };
  /** By source. */
  readonly applied: Readonly<Record<string, Applied>>;
}

/** What the database of a source is made of. */
interface Wanted {
  readonly source: Source;
  readonly schema: readonly MigrationFile[];
  readonly seed: readonly MigrationFile[];
  /** The saved catalog that the schema is made after. */
  readonly catalog: SourceCatalog | undefined;
}

/** Database of the server's own tables. */
const OWN = 'engine_metadata';

export class Databases {
  readonly #files: DevelopmentFiles;
  readonly #sources: readonly Source[];
  #state: State;
  #cluster: EmbeddedPostgres;
  #former: EmbeddedPostgres | undefined;

  private constructor(
    files: DevelopmentFiles,
    sources: readonly Source[],
    state: State,
    cluster: EmbeddedPostgres,
  ) {
    this.#files = files;
    this.#sources = sources;
    this.#state = state;
    this.#cluster = cluster;
  }

  /**
   * Starts the cluster of the last time, or the first one. Nothing is applied yet.
   * @param sources those without an address
   * @throws EmbeddedPostgresError
   */
  static async open(files: DevelopmentFiles, sources: readonly Source[]): Promise<Databases> {
    mkdirSync(files.folder, { recursive: true });
    writeFileSync(join(files.folder, '.gitignore'), '*\n');
    const state = readState(files.folder) ?? { cluster: newCluster(), applied: {} };
    const cluster = await startCluster(files.folder, state.cluster);
    const databases = new Databases(files, sources, state, cluster);
    try {
      databases.#save(state);
      await databases.#create(cluster);
      return databases;
    } catch (error) {
      await databases.stop();
      throw error;
    }
  }

  /** Address of the database for the server's own tables. */
  get own(): string {
    return this.#cluster.databaseUrl(OWN);
  }

  /** By source. */
  get addresses(): ReadonlyMap<string, string> {
    return new Map(
      this.#sources.map((source) => [source.name, this.#cluster.databaseUrl(databaseName(source))]),
    );
  }

  /** Where the data is. */
  get place(): string {
    return this.#cluster.dataDirectory;
  }

  /** Follows the files. @throws EmbeddedPostgresError, MigrationsFolderError, CatalogFileError */
  async update(): Promise<DatabasesUpdate> {
    const { missing, wanted } = await readFiles(this.#files, this.#sources);
    if (missing.length > 0) return { outcome: 'failed', diagnostics: missing };
    const { applied } = this.#state;
    if (wanted.every((each) => isExtended(each, applied, 'nothing')))
      return { outcome: 'same', diagnostics: [] };
    let reason = 'a file that had been applied has changed or is gone';
    if (wanted.every((each) => isExtended(each, applied, 'more'))) {
      const failed = await this.#apply(this.#cluster, wanted, applied);
      if (!failed) {
        this.#save({ ...this.#state, applied: appliedOf(wanted) });
        return { outcome: 'extended', said: additions(wanted, applied), diagnostics: [] };
      }
      // A file without a transaction may have been applied in part.
      reason = `the files could not be applied to what was there (${failed.message})`;
    }
    return this.#replace(wanted, reason);
  }

  async #replace(wanted: readonly Wanted[], reason: string): Promise<DatabasesUpdate> {
    const { cluster, applied, former } = this.#state;
    // A branch was changed, and changed back.
    const again = wanted.every((each) => isExtended(each, former?.applied ?? {}, 'nothing'))
      ? former
      : undefined;
    const name = again?.cluster ?? newCluster();
    const next = await startCluster(this.#files.folder, name);
    const failed = again ? undefined : await this.#fill(next, wanted);
    if (failed) return { outcome: 'failed', diagnostics: [failed] };
    if (former && !again) rmSync(former.place, { recursive: true, force: true });
    const place = this.#cluster.dataDirectory;
    this.#former = this.#cluster;
    this.#cluster = next;
    this.#save({ cluster: name, applied: appliedOf(wanted), former: { cluster, applied, place } });
    const said = again
      ? `the database from before is used again: the files are those that it was made of. The one until now is kept in ${place}`
      : `the database was made anew, because ${reason}. The rows that you had are kept in ${place} until that happens again`;
    return { outcome: 'replaced', said, diagnostics: [] };
  }

  /** Makes the databases of a new cluster. Where that fails, the cluster is removed. */
  async #fill(cluster: EmbeddedPostgres, wanted: readonly Wanted[]): Promise<Diagnostic | undefined> {
    let isFilled = false;
    try {
      await this.#create(cluster);
      const failed = await this.#apply(cluster, wanted, {});
      isFilled = failed === undefined;
      return failed;
    } finally {
      if (!isFilled) {
        await cluster.stop();
        rmSync(cluster.dataDirectory, { recursive: true, force: true });
      }
    }
  }

  /** Ends the cluster that an update has replaced. */
  async retire(): Promise<void> {
    await this.#former?.stop();
    this.#former = undefined;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#former?.stop(), this.#cluster.stop()]);
  }

  async #create(cluster: EmbeddedPostgres): Promise<void> {
    for (const name of [OWN, ...this.#sources.map(databaseName)]) await cluster.createDatabase(name);
  }

  /** Applies what was not. Returns what failed first. */
  async #apply(
    cluster: EmbeddedPostgres,
    wanted: readonly Wanted[],
    applied: State['applied'],
  ): Promise<Diagnostic | undefined> {
    const { stubs } = this.#files;
    const folder = join(cluster.dataDirectory, 'stubs');
    const supplies = stubs.size > 0 ? { stubs: installStubs(stubs, folder, folder) } : {};
    for (const { source, schema, seed, catalog } of wanted) {
      const url = cluster.databaseUrl(databaseName(source));
      const before = applied[source.name];
      if (catalog && !before) await createStandIn(url, catalog);
      const files = [
        ...(catalog ? [] : schema.slice(before?.schema.length ?? 0)),
        ...seed.slice(before?.seed.length ?? 0),
      ];
      const failure = await applyMigrations(url, files, supplies);
      if (failure) return describeFailure(source, failure, {});
    }
    return undefined;
  }

  #save(state: State): void {
    this.#state = state;
    writeFileSync(join(this.#files.folder, STATE), `${JSON.stringify(state, null, 2)}\n`);
    for (const [source, url] of this.addresses)
      writeFileSync(join(this.#files.folder, `${databaseName({ name: source })}.url`), url, { mode: 0o600 });
  }
}

const STATE = 'development.json';

/** @throws StartError */
function readState(folder: string): State | undefined {
  const file = join(folder, STATE);
  if (!existsSync(file)) return undefined;
  try {
    const { cluster, former, applied } = JSON.parse(readFileSync(file, 'utf8')) as State;
    if (/^postgres-[0-9a-f]+$/.test(cluster) && typeof applied === 'object')
      return { cluster, applied, ...(former !== undefined && { former }) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new StartError(
    `${file} is damaged: it says what was applied to the databases in ${folder}. Remove that folder to begin anew; the rows in it go with it.`,
  );
}

function databaseName({ name }: Pick<Source, 'name'>): string {
  return `engine_${name.replaceAll(/\W/g, '_')}`;
}

/** A name that no cluster had: folders of former ones may be elsewhere, where the account of PostgreSQL can enter them. */
function newCluster(): string {
  return `postgres-${randomBytes(4).toString('hex')}`;
}

function startCluster(folder: string, name: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDirectory: join(folder, name), superuser: 'engine_dev' });
}

/** The files as they are now. Sources without migrations and without a catalog begin empty. */
async function readFiles(
  files: DevelopmentFiles,
  sources: readonly Source[],
): Promise<{ readonly missing: readonly Diagnostic[]; readonly wanted: readonly Wanted[] }> {
  const [migrations, seed, path] = [files.migrations, files.seed, files.catalog].map((file) =>
    file !== undefined && existsSync(file) ? file : undefined,
  );
  const found = new Map(
    (migrations === undefined ? [] : readFolder(migrations, sources)).map((each) => [each.source, each]),
  );
  const seeds = new Map(
    (seed === undefined ? [] : readFolder(seed, sources)).map((each) => [each.source, each]),
  );
  const saved = path === undefined ? undefined : await readCatalogFile(path);
  const wanted = sources.map((source): Wanted => {
    const own = found.get(source);
    const rows = seeds.get(source);
    const catalog =
      !own && saved && Object.hasOwn(saved.sources, source.name) ? saved.sources[source.name] : undefined;
    const made = catalog ? [{ path: path!, text: JSON.stringify(catalog) }] : [];
    return {
      source,
      schema: own && 'files' in own ? own.files : made,
      seed: rows && 'files' in rows ? rows.files : [],
      catalog,
    };
  });
  return { missing: [...found.values()].flatMap(missingMigrations), wanted };
}

/** Whether what was applied is all that there is, or the beginning of it. Rows come after the schema, so they stay as they are. */
function isExtended(
  { source, schema, seed }: Wanted,
  applied: State['applied'],
  by: 'nothing' | 'more',
): boolean {
  const before = applied[source.name];
  if (!before) return by === 'more';
  const [now, rows] = [hashes(schema), hashes(seed)];
  const begins = before.schema.every((hash, index) => hash === now[index]);
  return (
    begins && String(before.seed) === String(rows) && (by === 'more' || now.length === before.schema.length)
  );
}

function hashes(files: readonly MigrationFile[]): string[] {
  return files.map(({ path, text }) => createHash('sha256').update(`${path}\0${text}`).digest('base64url'));
}

function appliedOf(wanted: readonly Wanted[]): State['applied'] {
  return Object.fromEntries(
    wanted.map(({ source, schema, seed }) => [source.name, { schema: hashes(schema), seed: hashes(seed) }]),
  );
}

/** Names the files that were applied just now. */
function additions(wanted: readonly Wanted[], applied: State['applied']): string {
  const files = wanted.flatMap(({ source, schema, seed }) => {
    const before = applied[source.name];
    return [...schema.slice(before?.schema.length ?? 0), ...(before ? [] : seed)].map(({ path }) => path);
  });
  if (files.length === 0) return 'the database is empty: there are no migrations and no catalog';
  return files.length > 5
    ? `${files.length} files applied, the last is ${files.at(-1)}`
    : `applied: ${files.join(', ')}`;
}
