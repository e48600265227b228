/** The compiler: metadata and catalogs in, generated files and diagnostics out. The table of contents of this folder. */
import { readFileSync } from 'node:fs';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { Metadata } from './model/metadata.ts';
import type { Model } from './model/model.ts';
import type { Plan } from './model/plan.ts';
import type { Origin } from './phases/1-read/origin.ts';
import { type CatalogResult, type NamingOptions, resolve } from './phases/3-resolve/index.ts';
import { plan } from './phases/4-plan/index.ts';
import { emit, type Files } from './phases/5-emit/index.ts';

export interface CompileInput {
  readonly metadata: Metadata;
  /** By name of the source. One that could not be read costs its source. */
  readonly catalogs: Readonly<Record<string, CatalogResult>>;
  /** Where the metadata stands in files, for the places of diagnostics. */
  readonly origin?: Origin;
  /** Whether naming conventions count, and which is the default; without it names are left as they are. */
  readonly naming?: NamingOptions;
}

export interface CompileResult {
  /** Text by path, sorted. Always complete: what is inconsistent is left out. */
  readonly files: Files;
  readonly diagnostics: readonly Diagnostic[];
  /** Handed to the next compile, which may reuse what did not change. */
  readonly state: CompileState;
}

export interface CompileState {
  readonly model: Model;
  readonly plan: Plan;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * Compiles metadata that phase 1 has read, against catalogs that phase 2 has read. Without I/O and without state of its
 * own: a compile of changed input may be given the previous result, and gives the same as one without.
 */
export function compile(input: CompileInput, _previous?: Partial<CompileResult>): CompileResult {
  const model = resolve(
    input.metadata,
    input.catalogs,
    input.naming ?? { enabled: false, default: 'engine-default' },
  );
  const planned = plan(model.value);
  const diagnostics = [...model.diagnostics, ...planned.diagnostics].map((diagnostic) =>
    locate(diagnostic, input.origin),
  );
  const inconsistencies = diagnostics.flatMap(({ inconsistency }) => (inconsistency ? [inconsistency] : []));
  const files = emit(planned.value, inconsistencies, version);
  return { files, diagnostics, state: { model: model.value, plan: planned.value } };
}

function locate(diagnostic: Diagnostic, origin: Origin | undefined): Diagnostic {
  const location = diagnostic.location ?? origin?.locate(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}
