/** The compiler: metadata and catalogs in, generated files and diagnostics out. The table of contents of this folder. */
import { readFileSync } from 'node:fs';
import type { EventsProgram } from '../runtime/core/events.ts';
import type { NamingOptions } from '../runtime/core/names.ts';
import { lazy } from '../runtime/core/remember.ts';
import type { SavedOptions } from '../runtime/core/saved.ts';
import { linkCauses } from '../runtime/diagnostics/causes.ts';
import type { Diagnostic } from '../runtime/diagnostics/diagnostic.ts';
import type { InheritedRole, Metadata } from '../runtime/metadata/metadata.ts';
import type { Origin } from '../runtime/metadata/origin.ts';
import { createMemory, type Memory } from './memory/memory.ts';
import { reuseCatalog, reuseMetadata } from './memory/reuse.ts';
import type { Model } from './model/model.ts';
import type { Plan, ProgramPlan } from './model/plan.ts';
import { type CatalogResult, type RemoteResult, resolve } from './phases/3-resolve/index.ts';
import { plan } from './phases/4-plan/index.ts';
import { planLedgers } from './phases/4-plan/ledger.ts';
import { planSaved } from './phases/4-plan/saved.ts';
import { type Emitted, emit, emitProgram, type Files } from './phases/5-emit/index.ts';

export interface CompileInput {
  readonly metadata: Metadata;
  /** By name of the source. One that could not be read costs its source. */
  readonly catalogs: Readonly<Record<string, CatalogResult>>;
  /** What was read of remote schemas, by name. One that is absent is not served. */
  readonly remotes?: Readonly<Record<string, RemoteResult>>;
  /** Where the metadata stands in files, for the places of diagnostics. */
  readonly origin?: Origin;
  /** How names and types are shown; without it as the database has them. */
  readonly naming?: NamingOptions;
  /** Options of the server for which statements of saved operations are made. */
  readonly serving?: SavedOptions;
}

export interface CompileResult {
  /** Text by path, sorted. Always complete: what is inconsistent is left out. Printed when it is asked for first. */
  readonly files: Files;
  /** Those that are served: `index.ts` and what it imports, not sorted. The others are not printed for them. */
  readonly programFiles: Files;
  /** What calls webhooks by itself, with the SQL that captures events. */
  readonly events: EventsProgram;
  readonly diagnostics: readonly Diagnostic[];
  /** Handed to the next compile, which may reuse what did not change. */
  readonly state: CompileState;
}

export interface CompileState {
  readonly model: Model;
  /** Made when it is asked for first. */
  readonly plan: Plan;
  readonly input: Pick<CompileInput, 'metadata' | 'catalogs'>;
  readonly inheritedRoles: readonly InheritedRole[];
  /** The last files that were printed: of this compile, or of one before it. */
  readonly lastEmitted: () => Emitted | undefined;
  readonly memory: Memory;
}

/** Version of the compiler. */
export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const DEFAULT_SERVING: SavedOptions = {
  stringifyNumbers: false,
  collapseNulls: false,
  inferFunctionPermissions: true,
};

/**
 * Compiles metadata that phase 1 has read, against catalogs that phase 2 has read. Without I/O and without state of its
 * own: a compile of changed input may be given any earlier result, does only what the difference asks for, and gives the
 * same as one without. What is wrong is known at once; rules and files are made when they are asked for, so that of many
 * changes that are judged one by one only the last is printed.
 */
export function compile(input: CompileInput, previous?: Partial<CompileResult>): CompileResult {
  const earlier = previous?.state;
  const memory = earlier?.memory ?? createMemory();
  const metadata = reuseMetadata(input.metadata, earlier?.input.metadata, memory);
  const catalogs = reuseCatalogs(input.catalogs, earlier?.input.catalogs, memory);
  const naming = input.naming ?? { enabled: false, default: 'engine-default' };
  const model = resolve(metadata, catalogs, input.remotes ?? {}, naming, {
    ...(earlier && { model: earlier.model, inheritedRoles: earlier.inheritedRoles }),
    memory,
  });
  const serving = input.serving ?? DEFAULT_SERVING;
  const access = lazy(() => plan(model.value, memory, serving));
  const saved = planSaved(
    metadata,
    {
      settings: model.value.settings,
      ...(model.value.actions && { actions: model.value.actions }),
      get sources() {
        return access().sources;
      },
      ...(model.value.remotes && { remotes: model.value.remotes }),
    },
    serving,
    memory,
  );
  const diagnostics = linkCauses(
    [...model.diagnostics, ...saved.diagnostics].map((diagnostic) => locate(diagnostic, input.origin)),
  );
  const served = lazy((): ProgramPlan => ({ ...access(), ...(saved.value ? { saved: saved.value } : {}) }));
  const planned = lazy((): Plan => ({ ...served(), ledgers: planLedgers(model.value, serving, memory) }));
  const programFiles = lazy(() => emitProgram(served(), memory));
  const emission = createEmission(planned, diagnostics, memory, earlier?.lastEmitted());
  return {
    diagnostics,
    get files() {
      return emission.emit().files;
    },
    get programFiles() {
      return programFiles();
    },
    get events() {
      return access().events;
    },
    state: {
      model: model.value,
      get plan() {
        return planned();
      },
      input: { metadata, catalogs },
      inheritedRoles: model.inheritedRoles,
      lastEmitted: emission.last,
      memory,
    },
  };
}

interface Emission {
  readonly emit: () => Emitted;
  readonly last: () => Emitted | undefined;
}

/** @param before the last files that were printed; let go of once these are */
function createEmission(
  planned: () => Plan,
  diagnostics: readonly Diagnostic[],
  memory: Memory,
  before: Emitted | undefined,
): Emission {
  let last = before;
  const emitted = lazy(() => {
    const inconsistencies = diagnostics.flatMap(({ inconsistency }) =>
      inconsistency ? [inconsistency] : [],
    );
    last = emit(planned(), inconsistencies, version, memory, last);
    return last;
  });
  return { emit: emitted, last: () => last };
}

function reuseCatalogs(
  next: CompileInput['catalogs'],
  previous: CompileInput['catalogs'] | undefined,
  memory: Memory,
): CompileInput['catalogs'] {
  return Object.fromEntries(
    Object.entries(next).map(([source, catalog]) => {
      const before = previous && Object.hasOwn(previous, source) ? previous[source] : undefined;
      const comparable = before && !('error' in before) ? before : undefined;
      return [source, 'error' in catalog ? catalog : reuseCatalog(catalog, comparable, memory)];
    }),
  );
}

function locate(diagnostic: Diagnostic, origin: Origin | undefined): Diagnostic {
  const location = diagnostic.location ?? origin?.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}
