/** The compiler: metadata and catalogs in, generated files and diagnostics out. The table of contents of this folder. */

import { readFileSync } from 'node:fs';
import type { CatalogOrError } from '../runtime/catalog/catalog.ts';
import type { EventsProgram } from '../runtime/core/contract/events.ts';
import { linkCauses } from '../runtime/core/diagnostics/causes.ts';
import type { Diagnostic } from '../runtime/core/diagnostics/diagnostic.ts';
import type { NamingOptions } from '../runtime/core/names.ts';
import type { RemoteOrError } from '../runtime/core/remotes/shapes.ts';
import type { SavedOptions } from '../runtime/core/saved/saved.ts';
import { CANONICAL, type Vocabulary } from '../runtime/core/vocabulary.ts';
import type { InheritedRole, Metadata } from '../runtime/metadata/metadata.ts';
import type { Origin } from '../runtime/metadata/origin.ts';
import { createMemory, type Memory } from './memory/memory.ts';
import { recall } from './memory/recall.ts';
import type { Model } from './model/model.ts';
import type { Plan } from './model/plan.ts';
import { resolve } from './phases/3-resolve/index.ts';
import { unreadLosses } from './phases/3-resolve/unread.ts';
import { plan } from './phases/4-plan/index.ts';
import { emit, type Files } from './phases/5-emit/index.ts';

export interface CompileInput {
  readonly metadata: Metadata;
  /** By name of the source. One that could not be read costs its source. */
  readonly catalogs: Readonly<Record<string, CatalogOrError>>;
  /** Remote schemas that were read, by name. An absent one is not served. */
  readonly remotes?: Readonly<Record<string, RemoteOrError>>;
  /** Diagnostics of reading the metadata: what is missing because of them points back to them. The result does not repeat them. */
  readonly unread?: readonly Diagnostic[];
  /** Positions of the metadata in files, for diagnostics. */
  readonly origin?: Origin;
  /** How names and types are shown; without it as the database has them. */
  readonly naming?: NamingOptions;
  /** The word in the names of the API, in which the metadata was read; `engine` unless given. */
  readonly vocabulary?: Vocabulary;
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
  /** Event triggers and cron triggers, with the SQL that captures events. */
  readonly events: EventsProgram;
  readonly diagnostics: readonly Diagnostic[];
  /** Results of the phases for tools, and the memory for the next compile. */
  readonly state: CompileState;
}

export interface CompileState {
  readonly metadata: Metadata;
  readonly model: Model;
  /** Those that are served, parents first. */
  readonly inheritedRoles: readonly InheritedRole[];
  /** Made when it is read first. */
  readonly plan: Plan;
  /** Handed to the next compile, which may reuse what did not change. */
  readonly memory: Memory;
}

/** Version of the compiler. */
export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const DEFAULT_NAMING: NamingOptions = { enabled: false, default: 'engine-default' };

const NO_REMOTES: Readonly<Record<string, RemoteOrError>> = {};

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
  const { naming = DEFAULT_NAMING, serving = DEFAULT_SERVING, remotes = NO_REMOTES, environment } = input;
  const { vocabulary = CANONICAL } = input;
  const memory = previous?.state?.memory ?? createMemory();

  const given = recall({ ...input, naming, serving, remotes }, memory);
  const model = resolve(given, vocabulary, environment, memory);
  const planned = plan(model.value, given.metadata, given.serving, given.catalogs, memory);
  const unread = unreadLosses(input.unread ?? [], given.metadata, given.catalogs, given.naming);
  const found = [...model.diagnostics, ...planned.diagnostics];
  const diagnostics = linkCauses([
    ...unread,
    ...found.map((diagnostic) => locate(diagnostic, input.origin)),
  ]).slice(unread.length);
  const emitted = emit(planned.value, diagnostics, version, memory);

  return {
    diagnostics,
    get files() {
      return emitted.files();
    },
    get programFiles() {
      return emitted.programFiles();
    },
    get events() {
      return planned.value.events();
    },
    state: {
      metadata: given.metadata,
      model: model.value,
      inheritedRoles: model.inheritedRoles,
      get plan() {
        return planned.value.complete();
      },
      memory,
    },
  };
}

function locate(diagnostic: Diagnostic, origin: Origin | undefined): Diagnostic {
  const location = diagnostic.location ?? origin?.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}
