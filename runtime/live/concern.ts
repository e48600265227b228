/**
 * Which cohorts of a live query a change concerns.
 * @rule Which live queries, and which values of theirs, does a write concern?
 */
import { remember } from '../core/remember.ts';
import type { ParameterNode } from '../core/sql/fragment.ts';
import type { Change } from '../database/changes.ts';
import type { Sensitivity } from './sensitivity.ts';

/**
 * `none`: nobody. `named`: all, because a table of the query was written. `any`: all, because any table may have been.
 * Otherwise those that read what was written.
 */
export type Concern<Reader> = 'none' | 'named' | 'any' | ReadonlySet<Reader>;

/** Finds those who read with certain values. */
export interface ValueIndex<Reader> {
  /** Adds those whose value of a parameter is one of these, and those whose value may be. */
  readonly collect: (parameter: number, values: readonly string[], into: Set<Reader>) => void;
}

/**
 * @param tables names of the relations that the query reads
 * @param sensitivity undefined: not known yet
 */
export function concernOf<Reader>(
  { tables: written, recorded }: Change,
  tables: ReadonlySet<string>,
  sensitivity: Sensitivity | undefined,
  index: ValueIndex<Reader>,
): Concern<Reader> {
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
  const concerned = new Set<Reader>();
  let isNone = true;
  for (const [oid, places] of sensitivity.reads) {
    if (!recorded.written.has(oid)) continue;
    isNone = false;
    const statements = recorded.written.get(oid);
    for (const keys of places)
      for (const statement of statements ?? [undefined]) {
        const key = statement && keys.find(({ column }) => statement.has(column));
        if (!key) return 'named';
        index.collect(key.parameter, statement.get(key.column)!, concerned);
      }
  }
  return isNone ? 'none' : concerned;
}

/** Cohorts or kept answers by their values. Built for a parameter when it is first asked for. */
export class ReaderIndex<Reader extends { readonly values: readonly (string | null)[] }>
  implements ValueIndex<Reader>
{
  readonly #parameters: readonly ParameterNode[];
  readonly #readers: { readonly values: () => Iterable<Reader> };
  readonly #byParameter = new Map<number, Map<string, Set<Reader>>>();

  /** @param readers those that were added and not removed */
  constructor(parameters: readonly ParameterNode[], readers: { readonly values: () => Iterable<Reader> }) {
    this.#parameters = parameters;
    this.#readers = readers;
  }

  collect(parameter: number, values: readonly string[], into: Set<Reader>): void {
    const readers = remember(this.#byParameter, parameter, () => {
      const made = new Map<string, Set<Reader>>();
      for (const reader of this.#readers.values()) this.#enter(made, parameter, reader);
      return made;
    });
    for (const value of [UNKNOWN, ...values]) for (const reader of readers.get(value) ?? []) into.add(reader);
  }

  add(reader: Reader): void {
    for (const [parameter, readers] of this.#byParameter) this.#enter(readers, parameter, reader);
  }

  remove(reader: Reader): void {
    for (const [parameter, readers] of this.#byParameter) {
      const value = this.#valueOf(reader, parameter);
      const set = readers.get(value);
      set?.delete(reader);
      if (set?.size === 0) readers.delete(value);
    }
  }

  #enter(readers: Map<string, Set<Reader>>, parameter: number, reader: Reader): void {
    remember(readers, this.#valueOf(reader, parameter), () => new Set<Reader>()).add(reader);
  }

  #valueOf({ values }: Reader, parameter: number): string {
    return canonical(values[parameter] ?? null, this.#parameters[parameter]!.type) ?? UNKNOWN;
  }
}

/** Readers whose value has no certain text in Postgres. No text of a column holds this character. */
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
