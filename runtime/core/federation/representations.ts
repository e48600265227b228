/** Representations: how a gateway names the entities that it wants to know more of, by type and key. */
import { EngineError, type Path, pathStep } from '../errors.ts';
import type { Column } from '../program/program.ts';
import { remember } from '../remember.ts';
import { encodeList, encodeValue } from '../types.ts';

/** One entity: the name of its type, and values that identify it. */
interface Representation {
  readonly typeName: string;
  readonly values: Readonly<Record<string, unknown>>;
}

// Memo: the planner, each column of a key and the answer read the same value of a request, which nobody changes.
const known = new WeakMap<object, readonly Representation[]>();

/** Reads the argument `representations`. @throws EngineError for one that is not an object with a type */
export function readRepresentations(value: unknown, path: Path): readonly Representation[] {
  const list = Array.isArray(value) ? value : [value];
  return remember(known, list, () => list.map((item, index) => read(item, pathStep(path, index))));
}

function read(item: unknown, path: Path): Representation {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw representationError('representations is expecting a list of objects only', path);
  const values = item as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(values, '__typename')) throw representationError('__typename key not found', path);
  const typeName = values.__typename;
  if (typeof typeName !== 'string') throw representationError('__typename can only be a string value', path);
  return { typeName, values };
}

/**
 * The values of a key column in the representations of a type, as the text of an array.
 * @param limit maximum number of rows that the role may read at once; undefined: no limit
 * @throws EngineError
 */
export function encodeKeys(
  value: unknown,
  typeName: string,
  column: Column,
  limit: number | undefined,
  path: Path,
): string {
  const field = column.field!;
  const values = readRepresentations(value, path).flatMap((each, index): unknown[] => {
    if (each.typeName !== typeName) return [];
    const place = pathStep(path, index);
    if (!Object.hasOwn(each.values, field))
      throw representationError(`cannot find ${field} in _Any type`, place);
    const own = each.values[field];
    try {
      encodeValue(column.type, own);
    } catch (error) {
      throw error instanceof EngineError ? error.below(pathStep(place, field)) : error;
    }
    return [own];
  });
  // Not cut off like a list: a gateway would take the missing rows for deleted ones.
  if (limit !== undefined && values.length > limit)
    throw representationError(
      `the role may look up at most ${limit} rows of ${JSON.stringify(typeName)} at once`,
      path,
    );
  return encodeList(column.type, values);
}

/** The part of the value on which a plan depends: which types it names. What names none is apart, for it is refused. */
export function shapeOfRepresentations(value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  const names = items.map((item: unknown) => {
    const own =
      typeof item === 'object' && item !== null ? (item as { __typename?: unknown }).__typename : null;
    return typeof own === 'string' ? own : null;
  });
  return JSON.stringify([...new Set(names)].sort());
}

export function representationError(message: string, path: Path): EngineError {
  return new EngineError('validation-failed', message, { path });
}
