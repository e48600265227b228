/** Errors of values that do not fit their types, and the check of arguments that are not column values. */
import { Kind, type ValueNode } from 'graphql';
import { EngineError, type Path, PathBelow } from '../errors.ts';
import {
  type EnumType,
  type InputType,
  printType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import { type ColumnType, hasDimensions, jsonKind, NumberText } from '../types.ts';

const MAX_INT = 2147483647;

/** Checks arguments that are not column values before anything runs. */
export function checkStrict(type: Pick<ScalarType, 'name' | 'accepts'>, value: unknown, path: Path): void {
  switch (type.accepts) {
    case 'count': {
      const number = integerOf(value);
      if (number === undefined || number < 0 || number > MAX_INT)
        throw refusal('a non-negative 32-bit integer', type, value, path);
      return;
    }
    case 'offset': {
      const digits = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : integerOf(value) !== undefined;
      if (!digits) throw refusal('a 64-bit integer', type, value, path);
      return;
    }
    case 'node':
      if (!fitsScalar({ accepts: 'id' }, value)) throw refusal('an ID', type, value, path);
      return;
    default:
      if (!fitsScalar(type, value)) throw wrongScalar(type, value, path);
  }
}

/** Whether a value is one of a scalar of GraphQL's own. All values are ones of other scalars. */
export function fitsScalar({ accepts }: Pick<ScalarType, 'accepts'>, value: unknown): boolean {
  switch (accepts) {
    case 'integer': {
      const number = integerOf(value);
      return number !== undefined && number >= -MAX_INT - 1 && number <= MAX_INT;
    }
    case 'float':
      return numberOf(value) !== undefined;
    case 'string':
    case 'cursor':
      return typeof value === 'string';
    case 'id':
      return typeof value === 'string' || integerOf(value) !== undefined;
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return true;
  }
}

/** Whether a scalar is one of GraphQL's own, which lists and objects are no values of. */
export function isBuiltIn({ accepts }: ScalarType): boolean {
  return typeof accepts === 'string' && Object.hasOwn(EXPECTED, accepts);
}

const EXPECTED: Readonly<Record<string, string>> = {
  boolean: 'a boolean',
  cursor: 'a string',
  float: 'a float',
  id: 'an ID',
  integer: 'a 32-bit integer',
  string: 'a string',
};

export function wrongScalar(
  type: Pick<ScalarType, 'name' | 'accepts'>,
  value: unknown,
  path: Path,
): EngineError {
  return refusal(EXPECTED[type.accepts as string]!, type, value, path);
}

function refusal(expected: string, type: Pick<ScalarType, 'name'>, value: unknown, path: Path): EngineError {
  return new EngineError(
    'validation-failed',
    `expected ${expected} for type '${type.name}', but found ${describeJson(value)}`,
    { path },
  );
}

/** `1.0` in a document is a float; in JSON it is the number 1. */
function integerOf(value: unknown): number | undefined {
  if (value instanceof NumberText && !/^-?\d+$/.test(value.text)) return undefined;
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}

function numberOf(value: unknown): number | undefined {
  if (value instanceof NumberText) return Number(value.text);
  return typeof value === 'number' ? value : undefined;
}

/** Where null is refused although the type is nullable in the schema: operands of comparisons, parts of `where`. */
export function unexpectedNull(type: TypeReference, path: Path): EngineError {
  const named = type.kind === 'nonNull' ? type.of : type;
  if (named.kind === 'input') return expectedObject(named, 'null', path);
  if (named.kind === 'list')
    return new EngineError('validation-failed', 'expected a list, but found null', { path });
  return new EngineError('validation-failed', `unexpected null value for type '${printType(named)}'`, {
    path,
  });
}

/**
 * Items of a list of column values are never null, nor are those of lists in it, which are more dimensions of an array.
 * @throws EngineError
 */
export function refuseNullItems(type: ColumnType, value: unknown, path: Path): void {
  if (!Array.isArray(value)) return;
  value.forEach((item, index) => {
    if (item === null)
      throw new EngineError('validation-failed', `unexpected null value for type '${type.scalar}'`, {
        path: new PathBelow(path, index),
      });
    if (Array.isArray(item) && hasDimensions(type)) refuseNullItems(type, item, new PathBelow(path, index));
  });
}

/**
 * Checks a variable's list of scalars: items are null only where their type allows it, and of its type. A value that is no list
 * is one item. @throws EngineError
 */
export function checkItems(item: TypeReference, value: unknown, path: Path): void {
  const inner = item.kind === 'nonNull' ? item.of : item;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  items.forEach((each, index) => {
    const at = new PathBelow(path, index);
    if (each === null) {
      if (item.kind === 'nonNull') throw unexpectedNull(item, at);
    } else if (inner.kind === 'list') checkItems(inner.of, each, at);
    else if (inner.kind === 'scalar') checkStrict(inner, each, at);
  });
}

export function expectedObject(type: InputType, found: string, path: Path): EngineError {
  return new EngineError(
    'validation-failed',
    `expected an object for type '${type.name}', but found ${found}`,
    { path },
  );
}

export function wrongEnum(type: EnumType, found: string, path: Path): EngineError {
  return new EngineError(
    'validation-failed',
    `expected an enum value for type '${type.name}', but found ${found}`,
    { path },
  );
}

export function article(scalar: ScalarType): string {
  return scalar.name === 'Int' ? 'an integer' : `a ${scalar.name}`;
}

const LITERALS: Readonly<Record<ValueNode['kind'], string>> = {
  [Kind.INT]: 'an integer',
  [Kind.FLOAT]: 'a float',
  [Kind.STRING]: 'a string',
  [Kind.BOOLEAN]: 'a boolean',
  [Kind.NULL]: 'null',
  [Kind.ENUM]: 'an enum value',
  [Kind.LIST]: 'a list',
  [Kind.OBJECT]: 'an object',
  [Kind.VARIABLE]: 'a variable',
};

export function describeLiteral(value: ValueNode): string {
  return LITERALS[value.kind];
}

export function describeJson(value: unknown): string {
  if (value instanceof NumberText) return /^-?\d+$/.test(value.text) ? 'an integer' : 'a float';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a float';
  switch (jsonKind(value)) {
    case 'Null':
      return 'null';
    case 'Array':
      return 'a list';
    case 'Object':
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}
