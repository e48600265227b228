/**
 * Values of a request against their input types. Literals of the document and variables become the same nodes, so that
 * nothing behind this file knows which of the two a value was. Scalars stay parameters; everything that shapes the SQL
 * (fields of input objects, enum values, booleans, null) is decided here; `shapeOf` decides the same for a variable's value.
 */
import { type ConstValueNode, Kind, print as printAst, type ValueNode } from 'graphql';
import { EngineError, type Path, PathBelow, UnknownName } from '../errors.ts';
import {
  type EnumType,
  type InputType,
  namedType,
  printType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import { hasDimensions, NumberText } from '../types.ts';
import {
  countClauses,
  countNode,
  countRepeated,
  isFirstCheck,
  readingOf,
  type VariableReading,
} from './expansion.ts';
import {
  article,
  checkItems,
  checkStrict,
  describeJson,
  describeLiteral,
  expectedObject,
  isBuiltIn,
  refuseNullItems,
  unexpectedNull,
  wrongEnum,
  wrongScalar,
} from './refusals.ts';
import type { InputNode } from './selection.ts';
import { isNoCursor, isOmitted, noteUse, usableAt, type Variables } from './variables.ts';

/** Reads a value of the document for a place of a type. Null counts as given; see `requiredNode` for places that refuse it. */
export function inputNode(
  type: TypeReference,
  value: ValueNode,
  path: Path,
  variables: Variables,
  hasDefault = false,
): InputNode {
  // The same value is read for the type in a non-null type or a list.
  const isUnwrapped = type.kind !== 'nonNull' && (type.kind !== 'list' || value.kind === Kind.LIST);
  if (isUnwrapped) countNode(variables, value, path);
  if (value.kind === Kind.VARIABLE) return variableNode(type, value.name.value, path, variables, hasDefault);
  if (type.kind === 'nonNull') {
    if (value.kind === Kind.NULL) throw unexpectedNull(type, path);
    return inputNode(type.of, value, path, variables);
  }
  if (value.kind === Kind.NULL) return { kind: 'null', path };
  if (type.kind === 'list') {
    if (value.kind !== Kind.LIST) {
      if (isLeaf(type.of) && value.kind === Kind.STRING && isColumnScalar(type))
        return leaf(type, value, path, variables);
      return { kind: 'list', path, items: [inputNode(type.of, value, new PathBelow(path, 0), variables)] };
    }
    return {
      kind: 'list',
      path,
      items: value.values.map((item, index) =>
        inputNode(type.of, item, new PathBelow(path, index), variables),
      ),
    };
  }
  switch (type.kind) {
    case 'input': {
      if (value.kind !== Kind.OBJECT) throw expectedObject(type, describeLiteral(value), path);
      const seen = new Map<string, ValueNode>();
      const definitions = type.fields();
      for (const field of value.fields) {
        const definition = definitions.get(field.name.value);
        if (definition && isOmitted(definition.type, field.value, variables)) continue;
        seen.set(field.name.value, field.value);
      }
      return objectNode(type, path, [...seen.keys()], variables, (name, fieldType, fieldPath, fieldDefault) =>
        inputNode(fieldType, seen.get(name)!, fieldPath, variables, fieldDefault),
      );
    }
    case 'enum':
      if (value.kind !== Kind.ENUM) throw wrongEnum(type, describeLiteral(value), path);
      return enumNode(type, value.value, path);
    case 'scalar':
      return leaf(type, value, path, variables);
    default:
      throw new Error(`the ${type.kind} type ${type.name} is not an input type`);
  }
}

/** Whether a list's items are scalars of a column, so that Postgres' own array text is accepted for the whole. */
function isColumnScalar(type: TypeReference): boolean {
  const named = namedType(type);
  return named.kind === 'scalar' && typeof named.accepts === 'object';
}

function isLeaf(type: TypeReference): boolean {
  return namedType(type).kind === 'scalar';
}

function leaf(type: TypeReference, value: ValueNode, path: Path, variables: Variables): InputNode {
  const scalar = namedType(type) as ScalarType;
  const source = literalSource(value, scalar, path, variables);
  if (source.from === 'constant' && isNoCursor(scalar, source.value)) return { kind: 'null', path };
  if (
    scalar.accepts === 'boolean' ||
    (typeof scalar.accepts === 'object' && scalar.accepts.family === 'boolean')
  ) {
    if (source.from === 'constant' && typeof source.value === 'boolean')
      return { kind: 'boolean', path, value: source.value, source, type: scalar };
  }
  if (source.from === 'constant') checkStrict(scalar, source.value, path);
  else if (isBuiltIn(scalar)) throw wrongScalar(scalar, source.from === 'list' ? [] : {}, path);
  return { kind: 'scalar', path, source, type: scalar };
}

type LiteralSource = Extract<ParameterSource, { from: 'constant' | 'variable' | 'list' | 'object' }>;

/** Whether a list in place of the scalar is one of an array's, so that its items are never null. */
function isDimension({ accepts }: ScalarType): boolean {
  return typeof accepts === 'object' && hasDimensions(accepts);
}

/** A literal as a parameter's source; JSON scalars may hold variables inside. */
function literalSource(
  value: ValueNode,
  scalar: ScalarType,
  path: Path,
  variables: Variables,
): LiteralSource {
  const partOfLiteral = (part: ValueNode, partPath: Path) => {
    countNode(variables, part, partPath);
    return literalSource(part, scalar, partPath, variables);
  };
  switch (value.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return { from: 'constant', value: new NumberText(value.value) };
    case Kind.STRING:
    case Kind.BOOLEAN:
      return { from: 'constant', value: value.value };
    case Kind.NULL:
      if (isDimension(scalar)) throw unexpectedNull(scalar, path);
      return { from: 'constant', value: null };
    case Kind.ENUM:
      // A value of a column is JSON before it is anything else, and a bare word a string of it.
      if (typeof scalar.accepts !== 'object')
        throw new EngineError(
          'validation-failed',
          `expected ${article(scalar)} for type '${scalar.name}', but found an enum value`,
          { path },
        );
      return { from: 'constant', value: value.value };
    case Kind.VARIABLE: {
      if (!variables.declared.has(value.name.value)) throw unbound(value.name.value, path);
      noteUse(variables, value.name.value, scalar);
      if (isDimension(scalar) && (variables.values[value.name.value] ?? null) === null)
        throw unexpectedNull(scalar, path);
      return { from: 'variable', name: value.name.value, path: '' };
    }
    case Kind.LIST: {
      const items = value.values.map((item, index) => partOfLiteral(item, new PathBelow(path, index)));
      if (items.every((item) => item.from === 'constant'))
        return { from: 'constant', value: items.map((item) => item.value) };
      return { from: 'list', items };
    }
    case Kind.OBJECT: {
      const fields = value.fields.map(
        ({ name, value: part }) =>
          [name.value, partOfLiteral(part, new PathBelow(path, name.value))] as const,
      );
      const constants = fields.flatMap(([name, source]) =>
        source.from === 'constant' ? [[name, source.value] as const] : [],
      );
      if (constants.length === fields.length)
        return { from: 'constant', value: Object.fromEntries(constants) };
      return { from: 'object', fields };
    }
  }
}

function variableNode(
  type: TypeReference,
  name: string,
  path: Path,
  variables: Variables,
  hasDefault: boolean,
): InputNode {
  const declared = variables.declared.get(name);
  if (!declared) throw unbound(name, path);
  if (!usableAt(declared, type, hasDefault)) {
    throw new EngineError(
      'validation-failed',
      `variable '${name}' is declared as '${printAst(declared.type)}', but used where '${printType(type)}' is expected`,
      { path },
    );
  }
  if (declared.defaultValue) refuseTexts(type, declared.defaultValue, path);
  noteUse(variables, name, type);
  const reading = readingOf(variables, name);
  return jsonNode(type, variables.values[name], path, '', reading);
}

/** In a document the values of an enum are bare words, also in a default, which becomes JSON; only JSON has texts for them. */
function refuseTexts(type: TypeReference, written: ConstValueNode, path: Path): void {
  if (type.kind === 'nonNull') refuseTexts(type.of, written, path);
  if (type.kind === 'enum' && written.kind === Kind.STRING)
    throw wrongEnum(type, describeLiteral(written), path);
  if (type.kind === 'list') {
    const items = written.kind === Kind.LIST ? written.values : [written];
    for (const [index, item] of items.entries()) refuseTexts(type.of, item, new PathBelow(path, index));
  }
  if (type.kind === 'input' && written.kind === Kind.OBJECT) {
    const definitions = type.fields();
    for (const { name, value } of written.fields) {
      const definition = definitions.get(name.value);
      if (definition) refuseTexts(definition.type, value, new PathBelow(path, name.value));
    }
  }
}

function unbound(name: string, path: Path): EngineError {
  return new EngineError('validation-failed', `unbound variable "${name}"`, { path });
}

/**
 * Reads the JSON value of a variable, or a part of it.
 * @param path in the request
 * @param within in the value of the variable
 */
function jsonNode(
  type: TypeReference,
  value: unknown,
  path: Path,
  within: Path,
  reading: VariableReading,
): InputNode {
  if (reading.isAgain) countRepeated(reading.variables, path);
  if (type.kind === 'nonNull') {
    if (value === null || value === undefined) throw unexpectedNull(type, path);
    return jsonNode(type.of, value, path, within, reading);
  }
  if (value === null || value === undefined) return { kind: 'null', path };
  if (type.kind === 'list') {
    if (isLeaf(type.of)) {
      const scalar = namedType(type) as ScalarType;
      if (!reading.isAgain || isFirstCheck(reading.variables, value, type)) {
        if (typeof scalar.accepts === 'object') refuseNullItems(scalar.accepts, value, path);
        else checkItems(type.of, value, path);
      }
      return { kind: 'scalar', path, source: sourceWithin(reading, within), type: scalar };
    }
    if (!Array.isArray(value))
      return {
        kind: 'list',
        path,
        items: [jsonNode(type.of, value, new PathBelow(path, 0), within, reading)],
      };
    return {
      kind: 'list',
      path,
      items: value.map((item, index) =>
        jsonNode(type.of, item, new PathBelow(path, index), new PathBelow(within, index), reading),
      ),
    };
  }
  switch (type.kind) {
    case 'input': {
      if (typeof value !== 'object' || Array.isArray(value))
        throw expectedObject(type, describeJson(value), path);
      const object = value as Record<string, unknown>;
      return objectNode(type, path, Object.keys(object), reading.variables, (name, fieldType, fieldPath) =>
        jsonNode(fieldType, object[name], fieldPath, new PathBelow(within, name), reading),
      );
    }
    case 'enum':
      if (typeof value !== 'string') throw wrongEnum(type, describeJson(value), path);
      return enumNode(type, value, path);
    case 'scalar':
      if (isNoCursor(type, value)) return { kind: 'null', path };
      checkStrict(type, value, path);
      if (typeof value === 'boolean')
        return { kind: 'boolean', path, value, source: sourceWithin(reading, within), type };
      return { kind: 'scalar', path, source: sourceWithin(reading, within), type };
    default:
      throw new Error(`the ${type.kind} type ${type.name} is not an input type`);
  }
}

function sourceWithin({ name }: VariableReading, path: Path): ParameterSource {
  return { from: 'variable', name, path };
}

function objectNode(
  type: InputType,
  path: Path,
  names: readonly string[],
  variables: Variables,
  read: (name: string, type: TypeReference, path: Path, hasDefault: boolean) => InputNode,
): InputNode {
  const definitions = type.fields();
  const fields = new Map<string, InputNode>();
  if (type.isClause) countClauses(variables, names.length, path);
  for (const name of names) {
    const definition = definitions.get(name);
    if (!definition) {
      const message = `field '${name}' not found in type: '${type.name}'`;
      throw new UnknownName(type.name, name, message, new PathBelow(path, name));
    }
    fields.set(
      name,
      read(name, definition.type, new PathBelow(path, name), definition.defaultValue !== undefined),
    );
  }
  for (const definition of definitions.values()) {
    if (
      definition.type.kind === 'nonNull' &&
      definition.defaultValue === undefined &&
      !fields.has(definition.name)
    ) {
      throw new EngineError('validation-failed', `missing required field '${definition.name}'`, { path });
    }
  }
  if (type.isOneOf) refuseSeveral(type, fields, path);
  return { kind: 'object', path, type, fields };
}

/** @throws EngineError unless exactly one field of a one-of input is given, with a value */
function refuseSeveral(type: InputType, fields: ReadonlyMap<string, InputNode>, path: Path): void {
  const given = [...fields.values()];
  if (given.length === 1 && given[0]!.kind !== 'null') return;
  throw new EngineError(
    'validation-failed',
    `exactly one field of '${type.name}' has to be given, not null`,
    { path },
  );
}

function enumNode(type: EnumType, name: string, path: Path): InputNode {
  const value = type.values.get(name);
  if (!value) {
    const known = [...type.values.keys()].sort().map((item) => `'${item}'`);
    throw new UnknownName(
      type.name,
      name,
      `expected one of the values [${known.join(', ')}] for type '${type.name}', but found '${name}'`,
      path,
    );
  }
  return { kind: 'enum', path, name, value: value.value };
}
