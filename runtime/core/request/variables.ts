/**
 * The variables of an operation: what is declared, the values that a request gives, where they are used, and what a plan
 * depends on in them.
 * @rule Which arguments are parameters, and which are part of a plan?
 */
import { type ConstValueNode, Kind, print as printAst, type TypeNode, type ValueNode } from 'graphql';
import { EngineError } from '../errors.ts';
import { shapeOfRepresentations } from '../federation/representations.ts';
import { shapeOfNodeId } from '../relay/node-id.ts';
import { namedType, type ScalarType, type TypeReference } from '../schema/types.ts';
import { NumberText } from '../types.ts';
import { createExpansion, type Expansion } from './expansion.ts';
import { fitsScalar, isBuiltIn } from './refusals.ts';

/** The variables of one operation: declarations, values, and where each was used. */
export interface Variables {
  readonly declared: ReadonlyMap<string, DeclaredVariable>;
  readonly values: Readonly<Record<string, unknown>>;
  /** Types of the places of variables; grows while planning. */
  readonly used: Map<string, TypeReference>;
  /** What fragments and variables were expanded to; grows while planning. */
  readonly expansion: Expansion;
}

/** Variables for one planning of an operation. @param used types that an earlier planning learned; it grows */
export function planningVariables(
  declared: Variables['declared'],
  values: Variables['values'],
  used: Variables['used'] = new Map(),
): Variables {
  return { declared, values, used, expansion: createExpansion() };
}

export interface DeclaredVariable {
  readonly name: string;
  readonly type: TypeNode;
  /** It is used in the document. */
  readonly isUsed: boolean;
  readonly defaultValue?: ConstValueNode;
}

/** Treatment of variables without a value; see PlanOptions. */
export interface UnboundOptions {
  readonly omitUnboundVariables?: boolean;
  readonly lenientNulls?: boolean;
}

/**
 * The value of each declared variable: given, default, or null; undefined where it counts as left out. Checks what can be
 * said without a use of it.
 * @param ignoresOthers values for variables that are not declared or not used do not count, as GraphQL has it. Relay's compiler
 * takes directives for its store out of the text, and its runtime still sends the values of their variables.
 * @throws EngineError when a non-null variable has no value, or, unless `ignoresOthers`, a value is given for one that is not
 * declared or not used
 */
export function variableValues(
  declared: ReadonlyMap<string, DeclaredVariable>,
  given: Readonly<Record<string, unknown>>,
  { omitUnboundVariables, lenientNulls }: UnboundOptions = {},
  ignoresOthers = false,
): Record<string, unknown> {
  // Without a prototype: a variable may be called __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const { name, type, defaultValue } of declared.values()) {
    const value = Object.hasOwn(given, name) ? given[name] : defaultValue && constantValue(defaultValue);
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
  if (ignoresOthers) return values;
  const unknown = Object.keys(given).filter((name) => !declared.get(name)?.isUsed);
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

/** Records the type of a variable's place. */
export function noteUse(variables: Variables, name: string, type: TypeReference): void {
  const known = variables.used.get(name);
  // Where there are several places, the one that depends on the deepest part of the value decides the plan's key.
  if (!known || !decides(known)) variables.used.set(name, type);
}

/** True if the plan depends on more than the presence of the value. */
function decides(type: TypeReference): boolean {
  const named = namedType(type);
  return named.kind !== 'scalar' || isBuiltIn(named) || ['entity', 'node'].includes(named.accepts as string);
}

/**
 * The rule of GraphQL's "All Variable Usages Are Allowed", by exact type names; an array argument of a function also takes
 * a variable of Postgres' array type.
 */
export function usableAt(declared: DeclaredVariable, type: TypeReference, hasDefault: boolean): boolean {
  const lenient =
    hasDefault || (declared.defaultValue !== undefined && declared.defaultValue.kind !== Kind.NULL);
  if (type.kind === 'nonNull' && declared.type.kind !== Kind.NON_NULL_TYPE && lenient)
    return fits(declared.type, type.of);
  return fits(declared.type, type);
}

function fits(declared: TypeNode, type: TypeReference): boolean {
  if (type.kind === 'nonNull') return declared.kind === Kind.NON_NULL_TYPE && fits(declared.type, type.of);
  if (declared.kind === Kind.NON_NULL_TYPE) return fits(declared.type, type);
  if (type.kind === 'list')
    return declared.kind === Kind.LIST_TYPE
      ? fits(declared.type, type.of)
      : type.scalar !== undefined && declared.name.value === type.scalar;
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === type.name;
}

/**
 * The part of a variable's value that a plan depends on: structure, enum values, booleans and nulls, never the scalars. Two
 * values of one shape share a plan; the shape is part of the plan's key.
 */
export function valueShape(type: TypeReference, value: unknown): string {
  if (value === undefined) return 'u';
  if (value === null) return 'n';
  if (type.kind === 'nonNull') return valueShape(type.of, value);
  const named = namedType(type);
  if (named.kind === 'scalar' && named.accepts === 'entity') return shapeOfRepresentations(value);
  if (named.kind === 'scalar' && named.accepts === 'node') return shapeOfNodeId(value);
  if (isNoCursor(named, value)) return 'n';
  if (type.kind === 'list') {
    if (named.kind === 'scalar') return `${holdsNull(value) ? 'w' : 'v'}${misfit(named, value)}`;
    // Not as a list of one: the paths of its parts differ.
    if (!Array.isArray(value)) return `=${valueShape(type.of, value)}`;
    let items = '';
    for (const item of value) items += `${valueShape(type.of, item)},`;
    return `[${items}]`;
  }
  // A boolean of a column is a value like others; one of an argument is a choice between statements.
  if (named.kind === 'scalar')
    return typeof value === 'boolean' && typeof named.accepts !== 'object'
      ? `${value}${misfit(named, value)}`
      : `v${misfit(named, value)}`;
  if (named.kind === 'enum') return JSON.stringify(value);
  if (named.kind !== 'input' || typeof value !== 'object' || Array.isArray(value)) return '?';
  const fields = named.fields();
  let parts = '';
  for (const [name, item] of Object.entries(value)) {
    const definition = fields.get(name);
    // Refused when it is planned.
    if (!definition) return '?';
    parts += `${name}:${valueShape(definition.type, item)},`;
  }
  return `{${parts}}`;
}

/** Whether a value is the cursor that a page without rows has, which is none. */
export function isNoCursor(type: TypeReference, value: unknown): boolean {
  return type.kind === 'scalar' && type.accepts === 'cursor' && value === '';
}

/** A value that a scalar does not take is refused when it is planned, so that it shares no plan with those that it takes. */
function misfit(type: ScalarType, value: unknown): string {
  return !isBuiltIn(type) || fitsDeep(type, value) ? '' : '!';
}

function fitsDeep(type: ScalarType, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => fitsDeep(type, item));
  return value === null || fitsScalar(type, value);
}

function holdsNull(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => item === null || holdsNull(item));
}
