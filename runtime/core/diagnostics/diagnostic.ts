import type { MetadataPath } from '../json/json.ts';
import type { InconsistentObject } from './inconsistency.ts';

/**
 * Something the compiler has to say about the input: what is wrong, where, and what to do now. Texts come from the
 * catalogue (`catalogue.ts`, made from `messages/`), never from the place that reports.
 */
export interface Diagnostic extends Message {
  /** Into the metadata document, e.g. `['sources', 0, 'tables', 3, 'select_permissions', 1, 'permission', 'filter']`. */
  readonly path: MetadataPath;
  readonly location?: Location;
  /** Set when an object of the metadata is left out because of this. */
  readonly inconsistency?: InconsistentObject;
  /** The diagnostic that this one follows from, which itself follows from none: gone with it. */
  readonly because?: Pick<Diagnostic, 'code' | 'path' | 'location'>;
}

/** A catalogue entry with its holes filled. */
export interface Message {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Consequence and advice, one sentence or two a line. */
  readonly details?: readonly string[];
  /** The root fields that two owners claim, if the diagnostic reports such a conflict. */
  readonly clashes?: readonly RootFieldClash[];
}

/** A root field that two tables, functions or actions claim. */
export interface RootFieldClash {
  /** Name of the root type: `query_root`. */
  readonly root: string;
  readonly field: string;
  /** The owner that keeps the field: `table author in source default`. */
  readonly first: string;
  readonly second: string;
}

/** Line and column count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Puts a message of the catalogue at a place: `at(entry.path, messages.unknownKey({ key }))`. */
export function at(path: MetadataPath, message: Message, inconsistency?: InconsistentObject): Diagnostic {
  return { path, ...message, ...(inconsistency && { inconsistency }) };
}

/** True if any of them is an error; warnings alone let a compile succeed. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Equal for diagnostics that say the same of the same place. */
export function diagnosticKey({ code, path, message }: Diagnostic): string {
  return JSON.stringify([code, path, message]);
}
