/**
 * Which cohorts of a live query a change concerns.
 * @rule Which live queries, and which values of theirs, does a write concern?
 */
import { remember } from '../core/remember.ts';
import type { ParameterNode } from '../core/sql/fragment.ts';
import type { Change } from '../database/changes.ts';
import type { Cohort } from './cohort.ts';
import type { Sensitivity } from './sensitivity.ts';

/**
 * `none`: no cohort. `named`: all, because a table of the query was written. `any`: all, because any table may have been.
 * Otherwise those that read what was written.
 */
export type Concern = 'none' | 'named' | 'any' | ReadonlySet<Cohort>;

/**
 * @param tables names of the relations that the query reads
 * @param sensitivity undefined: not known yet
 */
export function concernOf(
  { tables: written, recorded }: Change,
  tables: ReadonlySet<string>,
  sensitivity: Sensitivity | undefined,
  index: CohortIndex,
): Concern {
  const isRecorded =
    recorded &&
    sensitivity &&
    sensitivity.polledBecause === undefined &&
    [...sensitivity.reads.keys()].every((oid) => recorded.complete.has(oid));
  if (written) {
    // The recorded part of the write follows.
    if (isRecorded) return 'none';
    for (const table of written) if (tables.has(table)) return 'named';
    return 'none';
  }
  if (!isRecorded) return 'any';
  const cohorts = new Set<Cohort>();
  let isNone = true;
  for (const [oid, places] of sensitivity.reads) {
    if (!recorded.written.has(oid)) continue;
    isNone = false;
    const statements = recorded.written.get(oid);
    for (const keys of places)
      for (const statement of statements ?? [undefined]) {
        const key = statement && keys.find(({ column }) => statement.has(column));
        if (!key) return 'named';
        index.collect(key.parameter, statement.get(key.column)!, cohorts);
      }
  }
  return isNone ? 'none' : cohorts;
}

/** The cohorts of a poller by their values. Built for a parameter when it is first asked for. */
export class CohortIndex {
  readonly #parameters: readonly ParameterNode[];
  readonly #cohorts: ReadonlyMap<string, Cohort>;
  readonly #byParameter = new Map<number, Map<string, Set<Cohort>>>();

  constructor(parameters: readonly ParameterNode[], cohorts: ReadonlyMap<string, Cohort>) {
    this.#parameters = parameters;
    this.#cohorts = cohorts;
  }

  /** Adds the cohorts whose value of a parameter is one of these, and those whose value may be. */
  collect(parameter: number, values: readonly string[], into: Set<Cohort>): void {
    const cohorts = remember(this.#byParameter, parameter, () => {
      const made = new Map<string, Set<Cohort>>();
      for (const cohort of this.#cohorts.values()) this.#enter(made, parameter, cohort);
      return made;
    });
    for (const value of [UNKNOWN, ...values]) for (const cohort of cohorts.get(value) ?? []) into.add(cohort);
  }

  add(cohort: Cohort): void {
    for (const [parameter, cohorts] of this.#byParameter) this.#enter(cohorts, parameter, cohort);
  }

  remove(cohort: Cohort): void {
    for (const [parameter, cohorts] of this.#byParameter) {
      const value = this.#valueOf(cohort, parameter);
      const set = cohorts.get(value);
      set?.delete(cohort);
      if (set?.size === 0) cohorts.delete(value);
    }
  }

  #enter(cohorts: Map<string, Set<Cohort>>, parameter: number, cohort: Cohort): void {
    remember(cohorts, this.#valueOf(cohort, parameter), () => new Set<Cohort>()).add(cohort);
  }

  #valueOf({ values }: Cohort, parameter: number): string {
    return canonical(values[parameter] ?? null, this.#parameters[parameter]!.type) ?? UNKNOWN;
  }
}

/** Cohorts whose value has no certain text in Postgres. No text of a column holds this character. */
const UNKNOWN = '\0';

/** A value as Postgres writes it; undefined: not certain. */
function canonical(value: string | null, type: string): string | undefined {
  if (value === null) return undefined;
  switch (type) {
    case 'smallint':
    case 'integer':
    case 'bigint':
      return /^\s*[+-]?\d{1,20}\s*$/.test(value)
        ? String(BigInt(value.trim().replace(/^\+/, '')))
        : undefined;
    case 'uuid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? value.toLowerCase() : undefined;
    case 'text':
    case 'character varying':
      return value;
    default:
      return undefined;
  }
}
