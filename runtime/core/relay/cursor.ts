/** Cursors of requests: the position of a row in the order of its connection. Their values reach SQL as parameters only. */
import { EngineError } from '../errors.ts';
import { sourceOf } from '../query/scope.ts';
import type { InputNode } from '../request/selection.ts';
import type { Sql } from '../sql/fragment.ts';
import { typedParameter } from '../sql/spatial.ts';
import { readBase64Json, readJsonValue } from './base64-json.ts';
import type { ConnectionKey } from './keys.ts';

/**
 * Parameters with the values of a cursor, in the order of the keys.
 * @param path of the arguments, for the error of a cursor that does not fit the order
 */
export function cursorValues(node: InputNode, keys: readonly ConnectionKey[], path: string): Sql[] {
  return keys.map(({ value: { path: place, type } }) => {
    const encode = (cursor: unknown) => {
      const value = valueAt(readBase64Json(cursor), place);
      try {
        const text = readJsonValue(type, value);
        if (text !== undefined) return text;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
      }
      throw invalidCursor(path);
    };
    const part = { as: 'part', part: place.join('.') } as const;
    return typedParameter(type, sourceOf(node), encode, path, part);
  });
}

function valueAt(cursor: unknown, place: readonly string[]): unknown {
  return place.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    cursor,
  );
}

function invalidCursor(path: string): EngineError {
  return new EngineError('validation-failed', 'the "after" or "before" cursor is invalid', { path });
}
