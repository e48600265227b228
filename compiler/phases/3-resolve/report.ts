/**
 * How phase 3 reports: resolving one object of the metadata either succeeds or ends with a `Failure`, which costs that
 * object and becomes one diagnostic with the entry that the metadata API lists.
 */
import type { Losses } from '../../../runtime/core/diagnostics/causes.ts';
import { at, type Diagnostic, type Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../../runtime/core/diagnostics/nearest.ts';
import type { Json, MetadataPath } from '../../../runtime/metadata/metadata.ts';

/**
 * The text before the reason in the list of inconsistent objects: `Inconsistent object: ` with the object's context, the same
 * without the context, or nothing, as for objects that go because another one is gone.
 */
type Wording = 'in context' | 'without context' | 'alone';

/** Why an object cannot be resolved, and where. Thrown within one object's resolution only. */
export class Failure extends Error {
  readonly problem: Message;
  readonly path: MetadataPath | undefined;
  readonly wording: Wording;
  losses: Losses = {};

  constructor(problem: Message, path?: MetadataPath, wording: Wording = 'in context') {
    super(problem.message);
    this.problem = problem;
    this.path = path;
    this.wording = wording;
  }

  /** Because something is not there: whatever lost it is the cause. */
  missing(name: string, lost: readonly string[] = []): this {
    this.losses = { missed: name, lost };
    return this;
  }
}

/** An object of the metadata as `get_inconsistent_metadata` lists it. */
export interface ReportedObject {
  readonly path: MetadataPath;
  readonly type: string;
  readonly name: string;
  readonly definition: Json;
  /** Text before the reason: `in table "article": in relationship "author": `. */
  readonly context: string;
  /** Names that are lost with it; see `linkCauses`. */
  readonly offers?: () => readonly string[];
}

/** Collects the diagnostics of a run of the phase. */
export interface PhaseReport {
  readonly diagnostics: (Diagnostic & Losses)[];
}

/** Resolves one object; a failure is reported, and undefined returned. */
export function attempt<Value>(
  report: PhaseReport,
  object: ReportedObject,
  resolve: () => Value,
): Value | undefined {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    leaveOut(report, object, error.problem, error.path, error.losses, error.wording);
    return undefined;
  }
}

/** Reports that an object is left out. */
export function leaveOut(
  report: PhaseReport,
  object: ReportedObject,
  problem: Message,
  path = object.path,
  { missed, lost = [] }: Losses = {},
  wording: Wording = 'in context',
): void {
  const { type, name, context, definition, offers } = object;
  const before = {
    'in context': `Inconsistent object: ${context}`,
    'without context': 'Inconsistent object: ',
    alone: '',
  };
  const reason = `${before[wording]}${problem.message}`;
  report.diagnostics.push({
    ...at(path, problem, { type, name, reason, definition }),
    missed,
    lost: [...(offers?.() ?? []), ...lost],
  });
}

/** The hole `nearest` of a message, present only if something is near. */
export function suggest(name: string, candidates: Iterable<string>): { nearest?: string } {
  const found = nearest(name, candidates);
  return found === undefined ? {} : { nearest: found };
}

/** `because X`, or a list when there are several. */
export function because(reasons: readonly string[]): string {
  if (reasons.length === 1) return `because ${reasons[0]}`;
  return `for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`;
}
