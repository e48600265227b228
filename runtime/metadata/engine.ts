/**
 * Holds what is served and changes it: a request's operations act on a working copy, the copy is compiled and judged,
 * stored under the next resource_version, and only then served. Changes run one after the other; a change that fails
 * leaves everything as it was.
 */

import type { Json, Metadata } from '../../compiler/model/metadata.ts';
import { exportMetadata } from '../../compiler/phases/1-read/export-metadata.ts';
import { emptyMetadata, readMetadata } from '../../compiler/phases/1-read/read-metadata.ts';
import type { Session } from '../core/session.ts';
import type { PreparedProgram } from '../program/host.ts';
import type { MetadataRequest } from './request.ts';
import { runRequest } from './run.ts';
import { type MetadataStore, versionConflict } from './store.ts';
import {
  type CopyServices,
  inconsistentObjects,
  type MetadataState,
  type SourceDatabase,
  WorkingCopy,
} from './working-copy.ts';

export interface MetadataEngineOptions<Database extends SourceDatabase>
  extends Pick<CopyServices<Database>, 'compile' | 'openSource' | 'options'> {
  readonly store: MetadataStore;
  /** What to begin with when the store is empty, e.g. the source `default` of --database-url. */
  readonly initialMetadata?: Metadata;
  /** Makes a program of compiled files. Throws if they cannot be loaded. */
  readonly prepare: (state: MetadataState<Database>) => Promise<PreparedProgram>;
  /** Told what went wrong after a change was already accepted. */
  readonly report: (message: string, error: unknown) => void;
}

export class MetadataEngine<Database extends SourceDatabase = SourceDatabase> {
  readonly #options: MetadataEngineOptions<Database>;
  readonly #services: CopyServices<Database>;
  #state: MetadataState<Database>;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: MetadataEngineOptions<Database>) {
    this.#options = options;
    const { compile, openSource, store } = options;
    this.#services = {
      compile,
      openSource,
      options: options.options,
      readCatalogState: store.readCatalogState,
      writeCatalogState: store.writeCatalogState,
      prepare: options.prepare,
    };
    const compilation = { files: new Map<string, string>(), diagnostics: [] };
    this.#state = {
      metadata: emptyMetadata,
      resourceVersion: 0,
      catalogs: {},
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
    const stored = await options.store.read();
    const copy = engine.#copy();
    if (stored.metadata !== undefined) {
      copy.metadata = readMetadata(stored.metadata).value;
      await engine.#serve(copy, stored.resourceVersion);
    } else if (options.initialMetadata !== undefined) {
      copy.metadata = options.initialMetadata;
      copy.modified = true;
      await engine.#commit(copy);
    } else {
      await engine.#serve(copy, 0);
    }
    return engine;
  }

  get state(): MetadataState<Database> {
    return this.#state;
  }

  /** Runs a request, a bulk included, and gives its answer. Throws EngineError. */
  async execute(request: MetadataRequest, session: Session): Promise<Json> {
    if (!request.changesMetadata) return runRequest(request, this.#copy(), session);
    return this.#alone(async () => {
      const current = this.#state.resourceVersion;
      if (request.resourceVersion !== undefined && request.resourceVersion !== current) {
        throw versionConflict(request.resourceVersion, current);
      }
      const copy = this.#copy();
      try {
        const answer = await runRequest(request, copy, session);
        if (copy.modified) await this.#commit(copy);
        return answer;
      } finally {
        void this.#release(copy);
      }
    });
  }

  /** Closes every source; nothing may be executed afterwards. */
  async stop(): Promise<void> {
    await this.#queue;
    await Promise.all([...this.#state.sources.values()].map(({ database }) => database.end()));
  }

  #copy(): WorkingCopy {
    return new WorkingCopy(this.#state, this.#services);
  }

  async #commit(copy: WorkingCopy): Promise<void> {
    await copy.check();
    const { resourceVersion } = copy;
    // Loaded before it is stored: what cannot be served is never stored.
    const program = await this.#services.prepare(copy.toState(resourceVersion) as MetadataState<Database>);
    const stored = await this.#options.store.commit(
      JSON.stringify(exportMetadata(copy.metadata, 'store')),
      resourceVersion,
      copy.invalidations(),
    );
    this.#state = copy.toState(stored, program) as MetadataState<Database>;
    program.activate();
  }

  async #serve(copy: WorkingCopy, resourceVersion: number): Promise<void> {
    await copy.check();
    const program = await this.#services.prepare(copy.toState(resourceVersion) as MetadataState<Database>);
    this.#state = copy.toState(resourceVersion, program) as MetadataState<Database>;
    program.activate();
  }

  async #release(copy: WorkingCopy): Promise<void> {
    try {
      await copy.release(this.#state);
    } catch (error) {
      this.#options.report('Closing a source that is no longer used failed.', error);
    }
  }

  /** Runs after everything that was asked for earlier, whether or not that succeeded. */
  #alone<Value>(run: () => Promise<Value>): Promise<Value> {
    const result = this.#queue.then(run, run);
    this.#queue = result.catch(() => {});
    return result;
  }
}
