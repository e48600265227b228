/**
 * Holds what is served and changes it: a request's operations act on a working copy, the copy is compiled and judged,
 * stored under the next resource_version, and only then served. Changes run one after the other; a change that fails
 * leaves everything as it was.
 */

import { isSpreadOtherwise } from '../../catalog/distribution.ts';
import { EngineError } from '../../core/errors.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import { requireCurrent } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { isUnreachable } from '../../database/failures.ts';
import { Retirement } from '../../database/retirement.ts';
import { deleteWaiting, scheduleAnew } from '../../events/cron-events.ts';
import type { Metadata, RemoteSchema } from '../../metadata/metadata.ts';
import { emptyMetadata } from '../../metadata/metadata.ts';
import { readMetadata } from '../../metadata/read-metadata.ts';
import { forgetCalls } from '../../outgoing/actions/forget-calls.ts';
import type { PreparedProgram } from '../../program/host.ts';
import type { Answer } from '../request/answer.ts';
import type { OperationRequester } from '../request/operation.ts';
import type { MetadataRequest } from '../request/request.ts';
import { type MetadataStore, versionConflict } from '../store/store.ts';
import { storedChange } from '../store/stored-change.ts';
import { installTriggers, removeTriggers } from './install-triggers.ts';
import { type RemoteComparison, type RemoteRefresh, readAgain, takeRefreshed } from './remote-refresh.ts';
import { runRequest } from './run.ts';
import type { CopyServices, MetadataState, SourceDatabase } from './state.ts';
import { inconsistentObjects, WorkingCopy } from './working-copy.ts';

export interface MetadataEngineOptions<Database extends SourceDatabase>
  extends Pick<CopyServices<Database>, 'compile' | 'openSource' | 'readRemote' | 'options'> {
  readonly store: MetadataStore;
  /** Remote schemas of locks, by name; none unless given. */
  readonly lockedRemote?: CopyServices['lockedRemote'];
  /** Told what reading remote schemas again found. */
  readonly reportRefresh?: (refresh: RemoteRefresh) => void;
  /** Metadata to begin with when the store is empty, e.g. the source `default` of --database-url. */
  readonly initialMetadata?: Metadata;
  /** Makes a program of compiled files. Throws if they cannot be loaded. */
  readonly prepare: (state: MetadataState<Database>) => Promise<PreparedProgram>;
  /** Sees every state that is served. */
  readonly served?: (state: MetadataState<Database>) => void;
  /** There are new cron or one-off events. */
  readonly scheduledChanged?: () => void;
  /** Keeps a request's change elsewhere, before it is stored. @throws EngineError where it cannot be kept */
  readonly keep?: (before: Metadata, after: Metadata) => void;
  /** Told what went wrong after a change was already accepted. */
  readonly report: (message: string, error: unknown) => void;
}

export class MetadataEngine<Database extends SourceDatabase = SourceDatabase> {
  readonly #options: MetadataEngineOptions<Database>;
  readonly #services: CopyServices<Database>;
  #state: MetadataState<Database>;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #retirement: Retirement<SourceDatabase>;
  /** Remote schemas that are being introspected again. */
  readonly #reading = new Set<string>();

  private constructor(options: MetadataEngineOptions<Database>) {
    this.#options = options;
    this.#retirement = new Retirement((error) =>
      options.report('Closing a source that is no longer used failed.', error),
    );
    const { compile, openSource, readRemote, store } = options;
    this.#services = {
      compile,
      openSource,
      readRemote,
      lockedRemote: options.lockedRemote ?? (() => undefined),
      options: options.options,
      queryMetadata: store.query,
      scheduledChanged: options.scheduledChanged ?? (() => {}),
      readCatalogState: store.readCatalogState,
      writeCatalogState: store.writeCatalogState,
      prepare: options.prepare,
    };
    const nothing = new Map<string, string>();
    const compilation = { files: nothing, programFiles: nothing, diagnostics: [] };
    this.#state = {
      // Not yet compiled: no copy may take it for the same.
      metadata: { ...emptyMetadata },
      resourceVersion: 0,
      catalogs: {},
      remotes: {},
      sources: new Map(),
      compilation,
      inconsistent: inconsistentObjects(compilation),
    };
  }

  /** Reads the stored metadata, compiles it and serves it; inconsistent objects are left out, never the start refused. */
  static async start<Database extends SourceDatabase>(
    options: MetadataEngineOptions<Database>,
  ): Promise<MetadataEngine<Database>> {
    const engine = new MetadataEngine(options);
    await engine.#followOthers();
    if (engine.#state.resourceVersion > 0) {
      await engine.#mendTriggers();
      return engine;
    }
    const copy = engine.#copy();
    copy.metadata = options.initialMetadata ?? emptyMetadata;
    if (options.initialMetadata === undefined) await engine.#serve(copy, 0);
    else await engine.#commitFirst(copy);
    return engine;
  }

  /** The one that the metadata is written in. */
  get vocabulary(): Vocabulary {
    return this.#services.options.vocabulary;
  }

  get state(): MetadataState<Database> {
    return this.#state;
  }

  /** Runs a request, a bulk included, and gives its answer. Throws EngineError. */
  async execute(request: MetadataRequest, requester: OperationRequester): Promise<Answer> {
    if (!request.changesMetadata) return runRequest(request, this.#copy(), requester);
    return this.#alone(async () => {
      await this.#followOthers();
      // It may have waited for its turn.
      requireCurrent(requester.session);
      const current = this.#state.resourceVersion;
      if (request.resourceVersion !== undefined && request.resourceVersion !== current) {
        throw versionConflict(request.resourceVersion);
      }
      const copy = this.#copy();
      try {
        const answer = await runRequest(request, copy, requester);
        if (copy.modified) {
          await copy.check();
          this.#options.keep?.(this.#state.metadata, copy.metadata);
          await this.#commit(copy);
        }
        return answer;
      } catch (error) {
        await this.#recover(copy, error);
        throw error;
      } finally {
        this.#release(copy);
      }
    });
  }

  /**
   * Replaces the metadata, and leaves out what is inconsistent. Catalogs that are known stay, unless something is.
   * @param changed sources whose databases have changed
   * @throws EngineError when a database refuses its event triggers; the old state serves on
   */
  async replace(metadata: Metadata, changed: readonly string[]): Promise<MetadataState<Database>> {
    return this.#alone(async () => {
      const copy = this.#copy();
      try {
        copy.metadata = metadata;
        copy.reintrospect(changed);
        await copy.check();
        if (copy.inconsistent.length > 0) copy.reintrospect(metadata.sources.map(({ name }) => name));
        await this.#commit(copy);
        return this.#state;
      } finally {
        this.#release(copy);
      }
    });
  }

  /** Serves what another instance stored meanwhile, if it did. Throws if that fails; the old state serves on. */
  async synchronise(): Promise<void> {
    // Cheap where nothing happened: no turn in the queue is taken, and no slow change is waited for.
    if ((await this.#options.store.readVersion()) === this.#state.resourceVersion) return;
    await this.#alone(() => this.#followOthers());
  }

  /** Tries the sources again that could not be read; what heals is served, with nothing stored. */
  async retrySources(): Promise<void> {
    const broken = () =>
      Object.entries(this.#state.catalogs).flatMap(([name, catalog]) => ('error' in catalog ? [name] : []));
    if (broken().length === 0) return;
    await this.#alone(async () => {
      const copy = this.#copy();
      copy.reintrospect(broken());
      await this.#serveUnlessSame(copy);
    });
  }

  /**
   * Reads the catalogs of sources again whose tables a cluster has distributed otherwise meanwhile, and serves what follows, with nothing stored.
   * @param only the source that is looked at; undefined: every one
   */
  async followDistribution(only?: string): Promise<void> {
    try {
      const names = await this.#differing(only);
      if (names.length === 0) return;
      await this.#alone(async () => {
        const copy = this.#copy();
        copy.reintrospect(names.filter((name) => this.#state.sources.has(name)));
        await this.#serveUnlessSame(copy);
      });
    } catch (error) {
      // A source that does not answer is reported by those who need it.
      if (!isUnreachable(error))
        this.#options.report('Comparing how tables are distributed over a cluster failed.', error);
    }
  }

  async #differing(only: string | undefined): Promise<string[]> {
    const { catalogs, sources } = this.#state;
    const changed = await Promise.all(
      Object.entries(catalogs).map(async ([name, catalog]) => {
        if (only !== undefined && name !== only) return [];
        const query = sources.get(name)?.database.query;
        const isChanged = query && !('error' in catalog) && (await isSpreadOtherwise(query, catalog));
        return isChanged ? [name] : [];
      }),
    );
    return changed.flat();
  }

  /**
   * Introspects remote schemas again, all of them unless names are given, while requests go on, and reports what the changes
   * break. What changed is served, unless it is locked; what cannot be reached is served as it was read last.
   */
  async refreshRemotes(names?: readonly string[]): Promise<void> {
    const wanted = this.#state.metadata.remote_schemas.filter(
      ({ name }) => (names?.includes(name) ?? true) && !this.#reading.has(name),
    );
    await Promise.all(wanted.map((remote) => this.#refresh(remote)));
  }

  /** A slow server delays no other one. */
  async #refresh(remote: RemoteSchema): Promise<void> {
    this.#reading.add(remote.name);
    try {
      const read = await readAgain(remote, this.#state.remotes[remote.name], this.#services);
      await this.#alone(async () => {
        const copy = this.#copy();
        // Not one that was changed meanwhile.
        if (!copy.metadata.remote_schemas.includes(remote)) return;
        const refresh = await takeRefreshed(read, copy);
        if (refresh) this.#options.reportRefresh?.(refresh);
        if (!read.isLocked) await this.#serveUnlessSame(copy);
      });
    } finally {
      this.#reading.delete(remote.name);
    }
  }

  /**
   * Introspects a remote schema, a locked one too, and compares it with the served one; undefined for an unknown one. Serves
   * and stores nothing.
   */
  async compareRemote(name: string): Promise<RemoteComparison | undefined> {
    const remote = this.#state.metadata.remote_schemas.find((each) => each.name === name);
    if (!remote) return undefined;
    const served = this.#state.remotes[name];
    const read = await readAgain(remote, served, this.#services);
    const refresh = await this.propose((copy) => takeRefreshed(read, copy));
    return { isLocked: read.isLocked, served, found: read.found, ...(refresh && { refresh }) };
  }

  /** Gives `use` a copy of what is served. What it makes of it is neither stored nor served. */
  async propose<Value>(use: (copy: WorkingCopy) => Promise<Value>): Promise<Value> {
    const copy = this.#copy();
    try {
      return await use(copy);
    } finally {
      this.#release(copy);
    }
  }

  /** Introspects the remote schemas again that could not be read. */
  async retryRemotes(): Promise<void> {
    const broken = Object.entries(this.#state.remotes).flatMap(([name, remote]) =>
      'error' in remote || remote.stale !== undefined ? [name] : [],
    );
    if (broken.length > 0) await this.refreshRemotes(broken);
  }

  /** Closes every source; nothing may be executed afterwards. */
  async stop(): Promise<void> {
    await this.#queue;
    await Promise.all([
      this.#retirement.end(),
      ...[...this.#state.sources.values()].map(({ database }) => database.end()),
    ]);
  }

  #copy(): WorkingCopy {
    return new WorkingCopy(this.#state, this.#services);
  }

  async #commit(copy: WorkingCopy): Promise<void> {
    await copy.check();
    const { resourceVersion } = copy;
    // Loaded before it is stored: what cannot be served is never stored.
    const next = copy.toState(resourceVersion) as MetadataState<Database>;
    const program = await this.#services.prepare(next);
    const before = this.#state;
    // Triggers that cannot be installed are not stored, either.
    await installTriggers(before, next, this.vocabulary, new Set(copy.invalidations().sources));
    const stored = await this.#store(copy, next);
    await this.#swap(copy.toState(stored, program) as MetadataState<Database>, program);
    await removeTriggers(before, this.#state, copy.cleared, this.#options.report);
    await this.#schedule(before.metadata.cron_triggers, this.#state.metadata.cron_triggers);
    await this.#forgetCalls([...copy.forgottenActions], before.metadata.actions);
  }

  async #store(copy: WorkingCopy, next: MetadataState<Database>): Promise<number> {
    const change = storedChange(this.#state.metadata, copy.metadata);
    try {
      return await this.#options.store.commit(change, copy.resourceVersion, copy.invalidations());
    } catch (error) {
      await installTriggers(next, this.#state, this.vocabulary).catch((failure: unknown) => {
        this.#options.report('Going back to the event triggers that are served failed.', failure);
      });
      throw error;
    }
  }

  /** Serves a state. What was read of remote schemas is kept for the next start, which may be without a network. */
  async #swap(state: MetadataState<Database>, program: PreparedProgram): Promise<void> {
    const { remotes } = this.#state;
    this.#state = state;
    program.activate();
    this.#options.served?.(state);
    const read = Object.entries(state.remotes).flatMap(([name, remote]) => {
      const before = remotes[name];
      const isKept = before && 'sdl' in before && 'sdl' in remote && before.sdl === remote.sdl;
      return 'sdl' in remote && !isKept ? [{ name, sdl: remote.sdl }] : [];
    });
    if (read.length === 0) return;
    try {
      await this.#options.store.writeRemotes(read);
    } catch (error) {
      this.#options.report('Keeping the schema of a remote schema failed.', error);
    }
  }

  /** Makes the events of cron triggers that were changed, and deletes those of triggers that are gone. */
  async #schedule(before: Metadata['cron_triggers'], after: Metadata['cron_triggers']): Promise<void> {
    if (before === after) return;
    const text = ({ path: _, ...definition }: Metadata['cron_triggers'][number]) => jsonText(definition);
    const known = new Map(before.map((trigger) => [trigger.name, text(trigger)]));
    const kept = new Set(after.map(({ name }) => name));
    const { query } = this.#options.store;
    try {
      await deleteWaiting(
        query,
        [...known.keys()].filter((name) => !kept.has(name)),
        'all',
      );
      await scheduleAnew(
        query,
        after.filter((trigger) => known.get(trigger.name) !== text(trigger)),
      );
      this.#services.scheduledChanged();
    } catch (error) {
      // They are made within a minute by every instance that serves the trigger.
      this.#options.report('Making the events of cron triggers failed.', error);
    }
  }

  /** Deletes the stored calls of actions that were dropped. A step of a bulk that failed left its action as it was. */
  async #forgetCalls(names: readonly string[], before: Metadata['actions']): Promise<void> {
    const { actions } = this.#state.metadata;
    const entry = (list: Metadata['actions'], name: string) => list.find((action) => action.name === name);
    const dropped = names.filter((name) => entry(actions, name) !== entry(before, name));
    if (dropped.length === 0) return;
    try {
      await forgetCalls(this.#options.store.query, dropped);
    } catch (error) {
      this.#options.report('Deleting the calls of a dropped action failed.', error);
    }
  }

  /** Stores the first metadata, unless another instance that starts at the same time did. */
  async #commitFirst(copy: WorkingCopy): Promise<void> {
    try {
      await this.#commit(copy);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'conflict') throw error;
      await this.#followOthers();
    }
  }

  /** Installs the event triggers of every source; what fails is reported, and tried again with the next reload. */
  async #mendTriggers(): Promise<void> {
    const all = new Set(this.#state.sources.keys());
    await installTriggers(this.#state, this.#state, this.vocabulary, all).catch((error: unknown) => {
      this.#options.report('Installing event triggers failed.', error);
    });
  }

  async #serve(copy: WorkingCopy, resourceVersion: number): Promise<void> {
    await copy.check();
    const program = await this.#services.prepare(copy.toState(resourceVersion) as MetadataState<Database>);
    await this.#swap(copy.toState(resourceVersion, program) as MetadataState<Database>, program);
  }

  /** Reads the stored metadata again if its version is not the one that is served. */
  async #followOthers(): Promise<void> {
    const { store } = this.#options;
    const served = this.#state.resourceVersion;
    if ((await store.readVersion()) === served) return;
    const [stored, notification] = await Promise.all([store.read(), store.readNotification()]);
    const copy = this.#copy();
    copy.metadata =
      stored.metadata === undefined
        ? emptyMetadata
        : readMetadata(stored.metadata, this.#services.options).value;
    await this.#takeStoredRemotes(copy);
    // Only the next version's notification is known to be complete.
    const isNext = stored.resourceVersion === served + 1 && notification?.resourceVersion === served + 1;
    copy.reintrospect(
      isNext ? notification.invalidations.sources : copy.metadata.sources.map(({ name }) => name),
    );
    await this.#serve(copy, stored.resourceVersion);
    this.#release(copy);
  }

  /** Remote schemas of locks, or as any instance read them last: no start waits for another server. */
  async #takeStoredRemotes(copy: WorkingCopy): Promise<void> {
    const { remote_schemas } = copy.metadata;
    if (remote_schemas.length === 0) return;
    const stored = await this.#options.store.readRemotes();
    copy.takeRemotes(
      Object.fromEntries(
        remote_schemas.map(({ name }): [string, RemoteOrError] => {
          const locked = this.#services.lockedRemote(name);
          if (locked && 'error' in locked) return [name, locked];
          const sdl = locked?.sdl ?? stored.get(name);
          const served = this.#state.remotes[name];
          if (sdl === undefined)
            return [name, served ?? { error: 'the remote schema has not been read yet' }];
          return [name, served && 'sdl' in served && served.sdl === sdl ? served : { sdl }];
        }),
      ),
    );
  }

  /** After a failed request: SQL that was committed stays, and so does what another instance stored. */
  async #recover(copy: WorkingCopy, error: unknown): Promise<void> {
    try {
      if (error instanceof EngineError && error.code === 'conflict') await this.#followOthers();
      if (copy.changedDatabases.size === 0) return;
      const again = this.#copy();
      again.reintrospect(copy.changedDatabases);
      await this.#serveUnlessSame(again);
    } catch (failure) {
      this.#options.report('Following a change of a database failed.', failure);
    }
  }

  /** Serves a copy that only read databases anew, if that made a difference. */
  async #serveUnlessSame(copy: WorkingCopy): Promise<void> {
    await copy.check();
    if (
      copy.remotes !== this.#state.remotes ||
      (copy.catalogs !== this.#state.catalogs &&
        JSON.stringify(copy.catalogs) !== JSON.stringify(this.#state.catalogs))
    ) {
      await this.#serve(copy, this.#state.resourceVersion);
      await this.#mendTriggers();
    }
    this.#release(copy);
  }

  /** Retires the databases that a copy opened or replaced and that are not served. */
  #release(copy: WorkingCopy): void {
    for (const database of copy.unusedBy(this.#state)) this.#retirement.retire(database);
  }

  /** Runs after everything that was asked for earlier, whether or not that succeeded. */
  #alone<Value>(run: () => Promise<Value>): Promise<Value> {
    const result = this.#queue.then(run, run);
    this.#queue = result.catch(() => {});
    return result;
  }
}
