/**
 * Values of a request against their input types. Literals of the document and variables become the same nodes, so that
 * nothing behind this file knows which of the two a value was. Scalars stay parameters; everything that shapes the SQL
 * (fields of input objects, enum values, booleans, null) is looked at here, and `shapeOf` says the same of a variable's
 * value in one text, which is the key under which a plan is found again.
 */
import { type ConstValueNode, Kind, print as printAst, type TypeNode, type ValueNode } from 'graphql';
import { EngineError, pathStep, UnknownName } from '../errors.ts';
import {
  type EnumType,
  type InputType,
  namedType,
  printType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import type { ParameterSource } from '../sql/fragment.ts';
import { jsonKind, NumberText } from '../types.ts';
import type { InputNode } from './selection.ts';

/** The variables of one operation: declarations, values, and where each was used. */
export interface Variables {
  readonly declared: ReadonlyMap<string, DeclaredVariable>;
  readonly values: Readonly<Record<string, unknown>>;
  /** Types of the places where variables stand; grows while planning. */
  readonly used: Map<string, TypeReference>;
}

export interface DeclaredVariable {
  readonly name: string;
  readonly type: TypeNode;
  readonly defaultValue?: ConstValueNode;
}

/** Reads a value of the document for a place of a type. Null counts as given; see `requiredNode` for places that refuse it. */
export function inputNode(
  type: TypeReference,
  value: ValueNode,
  path: string,
  variables: Variables,
  hasDefault = false,
): InputNode {
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
      return { kind: 'list', path, items: [inputNode(type.of, value, path, variables)] };
    }
    return {
      kind: 'list',
      path,
      items: value.values.map((item, index) => inputNode(type.of, item, pathStep(path, index), variables)),
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
      return objectNode(type, path, [...seen.keys()], (name, fieldType, fieldPath, fieldDefault) =>
        inputNode(fieldType, seen.get(name)!, fieldPath, variables, fieldDefault),
      );
    }
    case 'enum':
      if (value.kind !== Kind.ENUM) throw wrongEnum(type, describeLiteral(value), path);
      return enumNode(type, value.value, path);
    case 'scalar':
      return leaf(type, value, path, variables);
    case 'object':
      throw new Error(`the object type ${type.name} is no input type`);
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

function leaf(type: TypeReference, value: ValueNode, path: string, variables: Variables): InputNode {
  const scalar = namedType(type) as ScalarType;
  const source = literalSource(value, scalar, path, variables);
  if (
    scalar.accepts === 'boolean' ||
    (typeof scalar.accepts === 'object' && scalar.accepts.family === 'boolean')
  ) {
    if (source.from === 'constant' && typeof source.value === 'boolean')
      return { kind: 'boolean', path, value: source.value, source, type: scalar };
  }
  if (source.from === 'constant') checkStrict(scalar, source.value, path);
  return { kind: 'scalar', path, source, type: scalar };
}

type LiteralSource = Extract<ParameterSource, { from: 'constant' | 'variable' | 'list' | 'object' }>;

/** A literal as a parameter's source; JSON scalars may hold variables inside. */
function literalSource(
  value: ValueNode,
  scalar: ScalarType,
  path: string,
  variables: Variables,
): LiteralSource {
  const json =
    typeof scalar.accepts === 'object' &&
    (scalar.accepts.family === 'json' || scalar.accepts.family === 'jsonb');
  switch (value.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return { from: 'constant', value: new NumberText(value.value) };
    case Kind.STRING:
    case Kind.BOOLEAN:
      return { from: 'constant', value: value.value };
    case Kind.NULL:
      return { from: 'constant', value: null };
    case Kind.ENUM:
      if (!json)
        throw new EngineError(
          'validation-failed',
          `expected ${article(scalar)} for type '${scalar.name}', but found an enum value`,
          { path },
        );
      return { from: 'constant', value: value.value };
    case Kind.VARIABLE: {
      if (!variables.declared.has(value.name.value)) throw unbound(value.name.value, path);
      noteUse(variables, value.name.value, scalar);
      return { from: 'variable', name: value.name.value, path: [] };
    }
    case Kind.LIST: {
      const items = value.values.map((item) => literalSource(item, scalar, path, variables));
      if (items.every((item) => item.from === 'constant'))
        return { from: 'constant', value: items.map((item) => item.value) };
      return { from: 'list', items };
    }
    case Kind.OBJECT: {
      const fields = value.fields.map(
        (field) => [field.name.value, literalSource(field.value, scalar, path, variables)] as const,
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
  path: string,
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
  noteUse(variables, name, type);
  return jsonNode(type, variables.values[name], path, { from: 'variable', name, path: [] });
}

function noteUse(variables: Variables, name: string, type: TypeReference): void {
  const known = variables.used.get(name);
  // Of several places the one that looks deepest into the value decides the plan's key.
  if (!known || !decides(known)) variables.used.set(name, type);
}

/** Whether more of a value than that it is one decides about the SQL. */
function decides(type: TypeReference): boolean {
  const named = namedType(type);
  return named.kind !== 'scalar' || named.accepts === 'boolean';
}

/** The rule of GraphQL's "All Variable Usages Are Allowed", by exact type names. */
function usableAt(declared: DeclaredVariable, type: TypeReference, hasDefault: boolean): boolean {
  const lenient =
    hasDefault || (declared.defaultValue !== undefined && declared.defaultValue.kind !== Kind.NULL);
  if (type.kind === 'nonNull' && declared.type.kind !== Kind.NON_NULL_TYPE && lenient)
    return fits(declared.type, type.of);
  return fits(declared.type, type);
}

function fits(declared: TypeNode, type: TypeReference): boolean {
  if (type.kind === 'nonNull') return declared.kind === Kind.NON_NULL_TYPE && fits(declared.type, type.of);
  if (declared.kind === Kind.NON_NULL_TYPE) return fits(declared.type, type);
  if (type.kind === 'list') return declared.kind === Kind.LIST_TYPE && fits(declared.type, type.of);
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === type.name;
}

type VariableSource = Extract<ParameterSource, { from: 'variable' }>;

/** Reads the JSON value of a variable, or a part of it. */
function jsonNode(type: TypeReference, value: unknown, path: string, source: VariableSource): InputNode {
  if (type.kind === 'nonNull') {
    if (value === null || value === undefined) throw unexpectedNull(type, path);
    return jsonNode(type.of, value, path, source);
  }
  if (value === null || value === undefined) return { kind: 'null', path };
  if (type.kind === 'list') {
    if (isLeaf(type.of)) return { kind: 'scalar', path, source, type: namedType(type) as ScalarType };
    const step = (index: number): VariableSource => ({ ...source, path: [...source.path, index] });
    if (!Array.isArray(value)) return { kind: 'list', path, items: [jsonNode(type.of, value, path, source)] };
    return {
      kind: 'list',
      path,
      items: value.map((item, index) => jsonNode(type.of, item, pathStep(path, index), step(index))),
    };
  }
  switch (type.kind) {
    case 'input': {
      if (typeof value !== 'object' || Array.isArray(value))
        throw expectedObject(type, describeJson(value), path);
      const object = value as Record<string, unknown>;
      return objectNode(type, path, Object.keys(object), (name, fieldType, fieldPath) =>
        jsonNode(fieldType, object[name], fieldPath, { ...source, path: [...source.path, name] }),
      );
    }
    case 'enum':
      if (typeof value !== 'string') throw wrongEnum(type, describeJson(value), path);
      return enumNode(type, value, path);
    case 'scalar':
      if (typeof value === 'boolean') return { kind: 'boolean', path, value, source, type };
      checkStrict(type, value, path);
      return { kind: 'scalar', path, source, type };
    case 'object':
      throw new Error(`the object type ${type.name} is no input type`);
  }
}

function objectNode(
  type: InputType,
  path: string,
  names: readonly string[],
  read: (name: string, type: TypeReference, path: string, hasDefault: boolean) => InputNode,
): InputNode {
  const definitions = type.fields();
  const fields = new Map<string, InputNode>();
  for (const name of names) {
    const definition = definitions.get(name);
    if (!definition) {
      const message = `field '${name}' not found in type: '${type.name}'`;
      throw new UnknownName(type.name, name, message, pathStep(path, name));
    }
    fields.set(
      name,
      read(name, definition.type, pathStep(path, name), definition.defaultValue !== undefined),
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
  return { kind: 'object', path, type, fields };
}

function enumNode(type: EnumType, name: string, path: string): InputNode {
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

/** Arguments that are no column values are checked before anything runs. */
export function checkStrict(type: Pick<ScalarType, 'name' | 'accepts'>, value: unknown, path: string): void {
  switch (type.accepts) {
    case 'count': {
      const number = numberOf(value);
      if (number === undefined || !Number.isInteger(number) || number < 0 || number > 2147483647)
        throw refusal('a non-negative 32-bit integer', type, value, path);
      return;
    }
    case 'offset': {
      const digits =
        typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isInteger(numberOf(value));
      if (!digits) throw refusal('a 64-bit integer', type, value, path);
      return;
    }
    case 'integer': {
      const number = numberOf(value);
      if (number === undefined || !Number.isInteger(number))
        throw refusal('a 32-bit integer', type, value, path);
      return;
    }
    case 'float':
      if (numberOf(value) === undefined) throw refusal('a float', type, value, path);
      return;
    case 'string':
      if (typeof value !== 'string') throw refusal('a string', type, value, path);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') throw refusal('a boolean', type, value, path);
      return;
  }
}

function refusal(
  expected: string,
  type: Pick<ScalarType, 'name'>,
  value: unknown,
  path: string,
): EngineError {
  return new EngineError(
    'validation-failed',
    `expected ${expected} for type '${type.name}', but found ${describeJson(value)}`,
    { path },
  );
}

function numberOf(value: unknown): number | undefined {
  if (value instanceof NumberText) return Number(value.text);
  return typeof value === 'number' ? value : undefined;
}

/** What becomes of variables without a value; see PlanOptions. */
export interface UnboundOptions {
  readonly omitUnboundVariables?: boolean;
  readonly lenientNulls?: boolean;
}

/**
 * Whether a place is left out because its variable is: only where the server reads requests so, and the variable has no
 * default. The place is noted, because a plan made without it holds only as long as the variable is left out.
 */
export function isOmitted(type: TypeReference, value: ValueNode, variables: Variables): boolean {
  if (value.kind !== Kind.VARIABLE) return false;
  const name = value.name.value;
  if (!Object.hasOwn(variables.values, name) || variables.values[name] !== undefined) return false;
  noteUse(variables, name, type);
  return true;
}

/**
 * The value of a declared variable: given, default, or null; undefined where it counts as left out. Checks what can be
 * said without a use of it.
 * @throws EngineError when a non-null variable has no value
 */
export function variableValues(
  declared: ReadonlyMap<string, DeclaredVariable>,
  given: Readonly<Record<string, unknown>>,
  { omitUnboundVariables, lenientNulls }: UnboundOptions = {},
): Record<string, unknown> {
  // Without a prototype: a variable may be called __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const variable of declared.values()) {
    const { name, type, defaultValue } = variable;
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? given[name] : defaultValue && constantValue(defaultValue);
    if (value === undefined && type.kind === Kind.NON_NULL_TYPE) {
      throw new EngineError('validation-failed', `expecting a value for non-nullable variable: "${name}"`);
    }
    if (value === null && type.kind === Kind.NON_NULL_TYPE && !lenientNulls) {
      throw new EngineError(
        'validation-failed',
        `null value found for non-nullable type: "${printAst(type)}"`,
      );
    }
    values[name] = value === undefined && omitUnboundVariables ? undefined : (value ?? null);
  }
  const unknown = Object.keys(given).filter((name) => !declared.has(name));
  if (unknown.length > 0) {
    throw new EngineError(
      'validation-failed',
      `unexpected variables in variableValues: ${unknown.sort().join(', ')}`,
    );
  }
  return values;
}

function constantValue(value: ConstValueNode): unknown {
  switch (value.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return new NumberText(value.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return value.value;
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return value.values.map(constantValue);
    case Kind.OBJECT:
      return Object.fromEntries(value.fields.map((field) => [field.name.value, constantValue(field.value)]));
  }
}

/**
 * What a plan depends on in a variable's value: structure, enum values, booleans and nulls, never the scalars. Two values
 * of one shape share a plan.
 */
export function shapeOf(type: TypeReference, value: unknown): string {
  if (value === undefined) return 'u';
  if (value === null) return 'n';
  if (type.kind === 'nonNull') return shapeOf(type.of, value);
  const named = namedType(type);
  if (type.kind === 'list') {
    if (named.kind === 'scalar') return 'v';
    if (!Array.isArray(value)) return `[${shapeOf(type.of, value)}]`;
    return `[${value.map((item) => shapeOf(type.of, item)).join()}]`;
  }
  // A boolean of a column is a value like others; one of an argument is a choice between statements.
  if (named.kind === 'scalar')
    return typeof value === 'boolean' && typeof named.accepts !== 'object' ? String(value) : 'v';
  if (named.kind === 'enum') return JSON.stringify(value);
  if (named.kind !== 'input' || typeof value !== 'object' || Array.isArray(value)) return '?';
  const fields = named.fields();
  const parts = Object.entries(value).map(([name, item]) => {
    const definition = fields.get(name);
    return `${JSON.stringify(name)}:${definition ? shapeOf(definition.type, item) : '?'}`;
  });
  return `{${parts.join()}}`;
}

function unbound(name: string, path: string): EngineError {
  return new EngineError('validation-failed', `unbound variable "${name}"`, { path });
}

/** Where null is refused although the type is nullable in the schema: operands of comparisons, parts of `where`. */
export function unexpectedNull(type: TypeReference, path: string): EngineError {
  const named = type.kind === 'nonNull' ? type.of : type;
  if (named.kind === 'input') return expectedObject(named, 'null', path);
  if (named.kind === 'list')
    return new EngineError('validation-failed', 'expected a list, but found null', { path });
  return new EngineError('validation-failed', `unexpected null value for type '${printType(named)}'`, {
    path,
  });
}

function expectedObject(type: InputType, found: string, path: string): EngineError {
  return new EngineError(
    'validation-failed',
    `expected an object for type '${type.name}', but found ${found}`,
    { path },
  );
}

function wrongEnum(type: EnumType, found: string, path: string): EngineError {
  return new EngineError(
    'validation-failed',
    `expected an enum value for type '${type.name}', but found ${found}`,
    { path },
  );
}

function article(scalar: ScalarType): string {
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

function describeLiteral(value: ValueNode): string {
  return LITERALS[value.kind];
}

function describeJson(value: unknown): string {
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
