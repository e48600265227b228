/** The compiler: metadata and catalogs in, generated files and diagnostics out. The table of contents of this folder. */
import { readFileSync } from 'node:fs';
import type { EventsProgram } from '../runtime/core/events.ts';
import type { NamingOptions } from '../runtime/core/names.ts';
import { lazy } from '../runtime/core/remember.ts';
import type { SavedOptions } from '../runtime/core/saved.ts';
import { linkCauses } from '../runtime/diagnostics/causes.ts';
import type { Diagnostic } from '../runtime/diagnostics/diagnostic.ts';
import type { Metadata } from '../runtime/metadata/metadata.ts';
import type { Origin } from '../runtime/metadata/origin.ts';
import { type Remembered, recall } from './memory/recall.ts';
import type { Plan, ProgramPlan } from './model/plan.ts';
import { type CatalogResult, type RemoteResult, resolve } from './phases/3-resolve/index.ts';
import { plan } from './phases/4-plan/index.ts';
import { planLedgers } from './phases/4-plan/ledger.ts';
import { planSaved } from './phases/4-plan/saved.ts';
import { emitOnDemand, type Files } from './phases/5-emit/index.ts';

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
  /** Names of the environment variables that the server has; without them nothing is said of missing ones. */
  readonly environment?: ReadonlySet<string>;
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

export interface CompileState extends Remembered {
  /** Made when it is read first. */
  readonly plan: Plan;
}

/** Version of the compiler. */
export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const DEFAULT_NAMING: NamingOptions = { enabled: false, default: 'engine-default' };

const DEFAULT_SERVING: SavedOptions = {
  stringifyNumbers: false,
  collapseNulls: false,
  inferFunctionPermissions: true,
};

/**
 * Compiles metadata that phase 1 has read, against catalogs that phase 2 has read. Without I/O and without state of its
 * own. A compile of changed input may get any earlier result: it reuses what did not change, and its result is the same as
 * without one. Diagnostics are complete at once. Rules and files are made when they are read first, so that of many
 * changes that are judged one by one only the last is printed.
 */
export function compile(input: CompileInput, previous?: Partial<CompileResult>): CompileResult {
  const { naming = DEFAULT_NAMING, serving = DEFAULT_SERVING, remotes = {} } = input;
  const recalled = recall(input, previous?.state);
  const { metadata, catalogs, memory } = recalled;

  const model = resolve(metadata, catalogs, remotes, naming, recalled, input.environment);
  const program = lazy(() => plan(model.value, memory, serving));
  const saved = planSaved(metadata, program, serving, memory);
  const served = lazy((): ProgramPlan => ({ ...program(), ...(saved.value && { saved: saved.value }) }));
  const complete = lazy((): Plan => ({ ...served(), ledgers: planLedgers(model.value, serving, memory) }));
  const diagnostics = linkCauses(
    [...model.diagnostics, ...saved.diagnostics].map((diagnostic) => locate(diagnostic, input.origin)),
  );
  const emission = emitOnDemand({ served, complete }, diagnostics, version, memory, recalled.emitted);

  return {
    diagnostics,
    get files() {
      return emission.files().files;
    },
    get programFiles() {
      return emission.programFiles();
    },
    get events() {
      return program().events;
    },
    state: {
      metadata,
      catalogs,
      model: model.value,
      inheritedRoles: model.inheritedRoles,
      get plan() {
        return complete();
      },
      lastEmitted: emission.last,
      memory,
    },
  };
}

function locate(diagnostic: Diagnostic, origin: Origin | undefined): Diagnostic {
  const location = diagnostic.location ?? origin?.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}
