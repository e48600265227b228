/**
 * The copy on which the operations of one request act: one immutable value, which starts as the served state. Operations
 * replace its metadata; `check` connects to what is new, introspects where needed and compiles; nothing outside changes until
 * the engine commits the copy. Beside the value are facts that no return to an earlier one undoes: SQL that ran, catalogs that
 * were read, connections that were opened.
 */

import type { CatalogOrError, SourceCatalog } from '../../catalog/catalog.ts';
import type { InconsistentObject } from '../../core/diagnostics/inconsistency.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import { describeConnectionError } from '../../database/connection-error.ts';
import { inStoredOrder } from '../../metadata/export-metadata.ts';
import type { Metadata, RemoteSchema, Source } from '../../metadata/metadata.ts';
import type { PreparedProgram } from '../../program/host.ts';
import type { ObjectIdentity } from '../request/names.ts';
import type { Warning } from '../request/warning.ts';
import type { Invalidations } from '../store/store.ts';
import { addedObjects, tellsOf } from './database-objects.ts';
import { findSource } from './edit.ts';
import { type NameConflict, nameConflicts, refuseConflicts, refuseRemoteConflict } from './name-conflicts.ts';
import { enforcePolicy, type Policy } from './policy.ts';
import { readRemote, readSourceCatalog } from './read-sources.ts';
import type { Compilation, CopyServices, MetadataState, OpenSource, SourceDatabase } from './state.ts';

/** The copy at one moment. A bulk whose step fails returns to one. */
interface CopyValue extends Omit<MetadataState, 'resourceVersion' | 'program'> {
  /** Inputs of the compilation. */
  readonly checked: Pick<MetadataState, 'metadata' | 'catalogs' | 'remotes'>;
  readonly warnings: readonly Warning[];
}

export class WorkingCopy {
  readonly services: CopyServices;
  /** Set when the request counts as a modification, even if nothing differs. */
  modified = false;
  /** The metadata was cleared: databases lose the tables of events, too. */
  cleared = false;
  /** Actions whose stored calls go with them, if they are dropped in the end. */
  readonly forgottenActions = new Set<string>();
  /** Sources in which SQL of this request was committed that may have changed their catalogs. */
  readonly changedDatabases = new Set<string>();
  #value: CopyValue;
  readonly #base: MetadataState;
  readonly #opened = new Set<SourceDatabase>();
  readonly #reintrospect = new Set<string>();
  readonly #rereadRemotes = new Set<string>();
  /** Sources whose catalog this request has read, after all SQL that it ran. */
  readonly #fresh = new Set<string>();
  readonly #invalidated = new Set<string>();

  constructor(base: MetadataState, services: CopyServices) {
    this.#base = base;
    this.services = services;
    const { resourceVersion: _, program: __, ...value } = base;
    this.#value = { ...value, checked: value, warnings: [] };
  }

  get resourceVersion(): number {
    return this.#base.resourceVersion;
  }

  /** The metadata as the operations so far have made it. */
  get metadata(): Metadata {
    return this.#value.metadata;
  }

  set metadata(metadata: Metadata) {
    this.#value = { ...this.#value, metadata };
  }

  get warnings(): readonly Warning[] {
    return this.#value.warnings;
  }

  /** Inconsistent objects as of the last check. */
  get inconsistent(): readonly InconsistentObject[] {
    return this.#value.inconsistent;
  }

  get compilation(): Compilation {
    return this.#value.compilation;
  }

  get catalogs(): Readonly<Record<string, CatalogOrError>> {
    return this.#value.catalogs;
  }

  get remotes(): Readonly<Record<string, RemoteOrError>> {
    return this.#value.remotes;
  }

  /** Has these remote schemas introspected at the next check; what cannot be reached keeps what was read before. */
  rereadRemotes(names: Iterable<string>): void {
    for (const name of names) this.#rereadRemotes.add(name);
  }

  /** Takes over what was read of remote schemas elsewhere. */
  takeRemotes(remotes: Readonly<Record<string, RemoteOrError>>): void {
    const isSame = Object.entries(remotes).every(([name, remote]) => this.remotes[name] === remote);
    if (!isSame) this.#value = { ...this.#value, remotes: { ...this.remotes, ...remotes } };
  }

  /** Introspects a remote schema now, unless it is locked. @throws EngineError when it cannot be read */
  async readRemote(remote: RemoteSchema): Promise<void> {
    const read = this.services.lockedRemote(remote.name) ?? { sdl: await this.services.readRemote(remote) };
    this.takeRemotes({ [remote.name]: read });
    this.#rereadRemotes.delete(remote.name);
  }

  /** The catalog of a source; undefined if its database could not be read. */
  catalog(source: string): SourceCatalog | undefined {
    const catalog = this.catalogs[source];
    return catalog === undefined || 'error' in catalog ? undefined : catalog;
  }

  /** The database of a source; throws `not-exists` for an unknown one, `unexpected` for one that is inconsistent. */
  database(source: string): SourceDatabase {
    findSource(this.metadata, source);
    const open = this.#value.sources.get(source);
    if (open === undefined) {
      throw new EngineError('unexpected', `source "${source}" is inconsistent`, { status: 400 });
    }
    return open.database;
  }

  /** The program of this copy: the served one as long as nothing was changed. */
  async program(): Promise<PreparedProgram> {
    await this.check();
    const { program, compilation } = this.#base;
    if (program !== undefined && compilation === this.compilation) return program;
    return this.services.prepare(this.toState(this.resourceVersion));
  }

  /** Notes that SQL ran on a source without a look at its catalog, so that what is tracked next is read anew. */
  noteSql(source: string): void {
    this.#fresh.delete(source);
  }

  /** Takes over a catalog that was read in the transaction of a run_sql. */
  takeCatalog(source: string, catalog: SourceCatalog): void {
    this.#value = { ...this.#value, catalogs: { ...this.catalogs, [source]: catalog } };
    this.#fresh.add(source);
    this.#invalidated.add(source);
  }

  /** Has the catalogs of these sources read again at the next check. */
  reintrospect(sources: Iterable<string>): void {
    for (const source of sources) {
      this.#reintrospect.add(source);
      this.#invalidated.add(source);
    }
  }

  warn(warning: Warning): void {
    this.#value = { ...this.#value, warnings: [...this.warnings, warning] };
  }

  /** Connects, introspects and compiles as far as the changes since the last check need it. */
  async check(): Promise<void> {
    this.metadata = inStoredOrder(this.metadata);
    await Promise.all([this.#readCatalogs(), this.#readRemotes()]);
    const { metadata, catalogs, remotes, checked } = this.#value;
    if (checked.metadata === metadata && checked.catalogs === catalogs && checked.remotes === remotes) return;
    const input = { metadata, catalogs, remotes };
    const compilation = await this.services.compile(input, this.compilation);
    const inconsistent = inconsistentObjects(compilation);
    this.#value = { ...this.#value, compilation, inconsistent, checked: input };
  }

  /** State that a later `accept` compares with. */
  baseline(): Baseline {
    return { inconsistent: this.inconsistent, conflicts: nameConflicts(this.compilation.diagnostics) };
  }

  /** Checks, and throws if the outcome since `before` is not acceptable. */
  async accept(policy: Policy, before: Baseline, targets: readonly ObjectIdentity[] = []): Promise<void> {
    await this.check();
    const conflicts = [...nameConflicts(this.compilation.diagnostics)];
    refuseConflicts(conflicts.flatMap(([key, conflict]) => (before.conflicts.has(key) ? [] : [conflict])));
    refuseRemoteConflict(this.compilation.diagnostics, before.inconsistent, targets);
    enforcePolicy(policy, { before: before.inconsistent, after: this.inconsistent, targets });
  }

  /** The value to return to with `restore`. */
  save(): CopyValue {
    return this.#value;
  }

  restore(value: CopyValue): void {
    this.#value = value;
  }

  /** Sources and remote schemas that other instances have to read again because of this copy. */
  invalidations(): Invalidations {
    return { metadata: true, sources: [...this.#invalidated].sort(), remote_schemas: [] };
  }

  /** The copy as a state, once it has been stored as `resourceVersion`. */
  toState(resourceVersion: number, program?: PreparedProgram): MetadataState {
    const { checked: _, warnings: __, ...value } = this.#value;
    return { ...value, resourceVersion, ...(program && { program }) };
  }

  /** The databases that this copy opened or found and that `state`, which is served from now on, does not use. */
  unusedBy(state: Pick<MetadataState, 'sources'>): readonly SourceDatabase[] {
    const used = new Set([...state.sources.values()].map(({ database }) => database));
    const known = new Set([
      ...this.#opened,
      ...[...this.#base.sources.values()].map(({ database }) => database),
    ]);
    return [...known].filter((database) => !used.has(database));
  }

  async #readCatalogs(): Promise<void> {
    const before = new Map(this.#value.checked.metadata.sources.map((source) => [source.name, source]));
    const sources = new Map<string, OpenSource>();
    const catalogs: Record<string, CatalogOrError> = {};
    await Promise.all(
      this.metadata.sources.map(async (source) => {
        const opened = this.#open(source);
        if ('error' in opened) {
          catalogs[source.name] = opened;
          return;
        }
        sources.set(source.name, opened);
        const known = this.catalogs[source.name];
        const isNew = this.#value.sources.get(source.name)?.database !== opened.database;
        if (
          known !== undefined &&
          !isNew &&
          !this.#reintrospect.has(source.name) &&
          !this.#asksForMore(before.get(source.name), source, known)
        ) {
          catalogs[source.name] = known;
          return;
        }
        catalogs[source.name] = await readSourceCatalog(opened.database.query, source, this.services.options);
        this.#fresh.add(source.name);
      }),
    );
    this.#reintrospect.clear();
    const names = Object.keys(catalogs);
    const isSame =
      names.length === Object.keys(this.catalogs).length &&
      names.every((name) => catalogs[name] === this.catalogs[name]);
    // Sorted as in the metadata, whichever database answered first.
    const sorted = () => Object.fromEntries(this.metadata.sources.map(({ name }) => [name, catalogs[name]!]));
    this.#value = { ...this.#value, sources, catalogs: isSame ? this.catalogs : sorted() };
  }

  /** Introspects remote schemas that are new, lead elsewhere now, or are to be read again. */
  async #readRemotes(): Promise<void> {
    const before = new Map(
      this.#value.checked.metadata.remote_schemas.map((remote) => [remote.name, remote]),
    );
    const { remote_schemas: wanted } = this.metadata;
    const read = await Promise.all(
      wanted.map(async (remote): Promise<readonly [string, RemoteOrError]> => {
        const { name } = remote;
        const known = Object.hasOwn(this.remotes, name) ? this.remotes[name] : undefined;
        const last = before.get(name);
        const moved = last && JSON.stringify(last.definition.url) !== JSON.stringify(remote.definition.url);
        if (known && !this.#rereadRemotes.has(name) && (!moved || known !== this.#base.remotes[name]))
          return [name, known];
        return [name, await readRemote(remote, moved ? undefined : known, this.services)];
      }),
    );
    this.#rereadRemotes.clear();
    const isSame =
      read.length === Object.keys(this.remotes).length &&
      read.every(([name, result]) => this.remotes[name] === result);
    if (!isSame) this.#value = { ...this.#value, remotes: Object.fromEntries(read) };
  }

  #open(source: Source): OpenSource | { readonly error: string } {
    const configured = JSON.stringify(source.configuration);
    const open = this.#value.sources.get(source.name);
    if (open !== undefined && JSON.stringify(open.configuration) === configured) return open;
    try {
      const database = this.services.openSource(source);
      this.#opened.add(database);
      return { configuration: source.configuration, database };
    } catch (error) {
      return { error: describeConnectionError(error) };
    }
  }

  /** Whether the source names something in the database that it did not name at the last check. */
  #asksForMore(before: Source | undefined, after: Source, known: CatalogOrError): boolean {
    if (before === after) return false;
    const added = addedObjects(before, after);
    if (added.length === 0) return false;
    return !this.#fresh.has(after.name) || 'error' in known || !tellsOf(known, added);
  }
}

/** State before an operation, for the judgement after it. */
export interface Baseline {
  readonly inconsistent: readonly InconsistentObject[];
  readonly conflicts: ReadonlyMap<string, NameConflict>;
}

/** The inconsistent objects of a compilation, each once. */
export function inconsistentObjects(compilation: Compilation): readonly InconsistentObject[] {
  const seen = new Set<string>();
  return compilation.diagnostics.flatMap(({ inconsistency }) => {
    if (inconsistency === undefined) return [];
    const key = JSON.stringify(inconsistency);
    if (seen.has(key)) return [];
    seen.add(key);
    return [inconsistency];
  });
}
