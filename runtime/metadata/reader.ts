/**
 * Reads entries and lists, one bad entry costing only itself: it is reported and left out, and the paths of its
 * neighbours stay what they are in the document.
 */
import type { z } from 'zod';
import { diagnostics as messages } from '../diagnostics/catalogue.ts';
import { at, type Diagnostic, type Message } from '../diagnostics/diagnostic.ts';
import { nearest } from '../diagnostics/nearest.ts';
import type { Located, MetadataPath, QualifiedName } from './metadata.ts';
import type { Origin } from './origin.ts';
import { isObject } from './schemas/shared.ts';
import { type UnknownKey, validate } from './validate.ts';

export interface Reader {
  readonly report: (path: MetadataPath, message: Message) => void;
}

/** A reader that adds to `found`, with the file position where there is one. */
export function createReader(found: Diagnostic[], origin?: Origin): Reader {
  return {
    report: (path, message) => {
      const location = origin?.locate(path);
      found.push({ ...at(path, message), ...(location && { location }) });
    },
  };
}

/** Validates one value against its schema; undefined, after reporting why, if it does not fit. */
export function readValue<Value>(
  reader: Reader,
  schema: z.ZodType<Value>,
  input: unknown,
  path: MetadataPath,
): Value | undefined {
  const { value, problems, unknownKeys } = validate(schema, input);
  for (const problem of problems) {
    reader.report([...path, ...problem.path], messages.metadataValueInvalid({ reason: problem.message }));
  }
  for (const unknownKey of unknownKeys) reportUnknownKey(reader, unknownKey, path);
  return value;
}

function reportUnknownKey(reader: Reader, { path, key, known }: UnknownKey, base: MetadataPath): void {
  reader.report([...base, ...path, key], messages.unknownKey({ key, nearest: nearest(key, known) }));
}

/** Reports the keys of an object that are not among the known ones. */
export function reportUnknownKeys(
  reader: Reader,
  input: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: MetadataPath,
): void {
  for (const key of Object.keys(input)) {
    if (!known.includes(key)) reportUnknownKey(reader, { path: [], key, known }, path);
  }
}

/** Reads the items of a list that may be absent. Items that are undefined were reported where they were included. */
export function readList<Item>(
  input: unknown,
  path: MetadataPath,
  reader: Reader,
  readItem: (reader: Reader, input: unknown, path: MetadataPath) => Item | undefined,
): Item[] {
  if (input === undefined || input === null) return [];
  if (!Array.isArray(input)) {
    const encountered = isObject(input) ? 'Object' : typeof input;
    const reason = `parsing [] failed, expected Array, but encountered ${capitalise(encountered)}`;
    reader.report(path, messages.metadataValueInvalid({ reason }));
    return [];
  }
  return input.flatMap((item, index) => {
    const value = item === undefined ? undefined : readItem(reader, item, [...path, index]);
    return value === undefined ? [] : [value];
  });
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Reads entries of one schema, each with its path; of several with one name the first counts. */
export function readEntries<Entry extends object>(
  input: unknown,
  path: MetadataPath,
  reader: Reader,
  schema: z.ZodType<Entry>,
  kind: string,
  nameOf: (entry: Entry) => string,
): (Entry & Located)[] {
  const entries = readList(input, path, reader, (itemReader, item, itemPath) => {
    const value = readValue(itemReader, schema, item, itemPath);
    return value && { ...value, path: itemPath };
  });
  return withoutDuplicates(entries, kind, nameOf, reader);
}

/** The entries with the later ones of equal name left out, and reported together at the first of them. */
export function withoutDuplicates<Entry extends Located>(
  entries: readonly Entry[],
  kind: string,
  nameOf: (entry: Entry) => string,
  reader: Reader,
): Entry[] {
  const seen = new Set<string>();
  const repeated: Entry[] = [];
  const kept = entries.filter((entry) => {
    const name = nameOf(entry);
    if (seen.has(name)) repeated.push(entry);
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
  if (repeated[0] !== undefined) {
    const names = [...new Set(repeated.map(nameOf))].join(', ');
    reader.report(repeated[0].path, messages.duplicateDeclaration({ kind, names }));
  }
  return kept;
}

/** `author`, or `library.author` outside of the schema `public`. */
export function displayName({ schema, name }: QualifiedName): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}
