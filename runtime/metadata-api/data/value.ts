/** JSON of a legacy request → the nodes that the planner reads. Every value becomes a parameter. */

import { type EngineError, pathStep } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import type { QualifiedName } from '../../core/names.ts';
import type { InputNode } from '../../core/request/selection.ts';
import { fixedType, STRING, scalarOf } from '../../core/schema/shared-types.ts';
import type { InputMeaning, ScalarType } from '../../core/schema/types.ts';
import { type ColumnType, expectedKind } from '../../core/types.ts';

/** A part of an object node: what it means, and its value. */
export interface Part {
  readonly name: string;
  readonly meaning: InputMeaning;
  readonly node: InputNode;
}

/** An object whose parts carry their meanings, as the planner expects of a checked value of an input type. */
export function objectNode(path: string, parts: readonly Part[]): InputNode {
  const definitions = new Map(parts.map(({ name, meaning }) => [name, { name, type: STRING, meaning }]));
  return {
    kind: 'object',
    path,
    type: { kind: 'input', name: '', fields: () => definitions },
    fields: new Map(parts.map(({ name, node }) => [name, node])),
  };
}

/** A value of a column's type. Null is null. */
export function valueNode(type: ColumnType, value: unknown, path: string): InputNode {
  return value === null ? { kind: 'null', path } : scalarNode(scalarOf(type), value, path);
}

/** A list of values of a column's type. @throws EngineError parse-failed for anything but a list, and for nulls in it */
export function listNode(type: ColumnType, value: unknown, path: string): InputNode {
  const items = requireList(value, path).map((item, index) => {
    const itemPath = pathStep(path, index);
    // One null makes `in` unknown for every row that matches nothing else, and `not in` for every row.
    if (item === null) throw misplacedValue(type.scalar, 'a value', item, itemPath);
    return valueNode(type, item, itemPath);
  });
  return { kind: 'list', path, items };
}

/** A value without a column: `limit`, a flag. */
export function scalarNode(type: ScalarType, value: unknown, path: string): InputNode {
  return { kind: 'scalar', path, source: { from: 'constant', value }, type };
}

export function booleanNode(value: boolean, path: string): InputNode {
  const type = scalarOf(fixedType('bool'));
  return { kind: 'boolean', path, value, source: { from: 'constant', value }, type };
}

/** A name that the planner writes unchanged: a column, a direction. */
export function nameNode(value: string, path: string): InputNode {
  return { kind: 'enum', path, name: value, value };
}

/** `$and` and `_and` are the same. */
export function underscored(key: string): string {
  return key.startsWith('$') ? `_${key.slice(1)}` : key;
}

export function requireArgumentObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw misplacedValue('Object', 'Object', value, path);
}

export function requireList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw misplacedValue('[]', 'Array', value, path);
}

function requireText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw misplacedValue('Text', 'String', value, path);
}

export function misplacedValue(what: string, expected: string, found: unknown, path: string): EngineError {
  return expectedKind(what, expected, found ?? null).at(path);
}

/** `"author"` or `{name, schema = "public"}`. */
export function readTableName(value: unknown, path: string): QualifiedName {
  if (typeof value === 'string') return { schema: 'public', name: value };
  const { name, schema = 'public' } = requireArgumentObject(value, path);
  return {
    schema: requireText(schema, pathStep(path, 'schema')),
    name: requireText(name, pathStep(path, 'name')),
  };
}
