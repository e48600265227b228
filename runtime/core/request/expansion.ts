/**
 * Bounds what an operation grows to when fragments are expanded where they are spread, and variables read where they are used.
 * Without it a document of n fragments and variables can ask for n² or 2ⁿ parts.
 * @rule How far may fragments and variables that are repeated expand?
 */
import { EngineError, type Path } from '../errors.ts';
import { remember } from '../remember.ts';
import type { TypeReference } from '../schema/types.ts';
import type { Variables } from './variables.ts';

/**
 * Maximum parts of an operation that are repeated: selections and values of fragments that were expanded before, and parts of
 * variables that were read before. The parts that are not are bounded by the tokens of the document and the size of the body.
 */
export const MAX_REPEATED = 10_000;

/**
 * Maximum number of fields in the conditions and orders of an operation, an empty object counted as one: 10,000 conditions like
 * `{id: {_eq: 1}}`. Each becomes a part of the SQL, which takes the planner and PostgreSQL far longer than a value of a list.
 */
export const MAX_CLAUSES = 20_000;

/** What one planning of an operation has read so far. */
export interface Expansion {
  repeated: number;
  clauses: number;
  /** Selections and values of the document that were looked at. */
  readonly seen: Set<object>;
  /** Names of variables that were read. */
  readonly read: Set<string>;
  /** Lists of scalars, with the types that their items were checked against. */
  readonly checked: Map<object, Set<TypeReference>>;
}

export function createExpansion(): Expansion {
  return { repeated: 0, clauses: 0, seen: new Set(), read: new Set(), checked: new Map() };
}

/** Counts a selection or value of the document if it is repeated. @throws EngineError when there are too many */
export function countNode(variables: Variables, node: object, path: Path): void {
  const { seen } = variables.expansion;
  if (seen.has(node)) countRepeated(variables, path);
  else seen.add(node);
}

/** Counts one more repeated part. @throws EngineError when there are too many */
export function countRepeated(variables: Variables, path: Path): void {
  const { expansion } = variables;
  expansion.repeated += 1;
  if (expansion.repeated > MAX_REPEATED) {
    throw new EngineError(
      'validation-failed',
      `the operation repeats more than ${MAX_REPEATED} parts of fragments and variables`,
      { path },
    );
  }
}

/** Counts the fields of an object in a condition or an order. @throws EngineError when there are too many */
export function countClauses(variables: Variables, fields: number, path: Path): void {
  const { expansion } = variables;
  expansion.clauses += Math.max(fields, 1);
  if (expansion.clauses > MAX_CLAUSES) {
    throw new EngineError(
      'validation-failed',
      `the conditions and orders of the operation have more than ${MAX_CLAUSES} fields`,
      { path },
    );
  }
}

/** The value of a variable while it is read. */
export interface VariableReading {
  readonly variables: Variables;
  readonly name: string;
  /** It was read before, so that its parts count. */
  readonly isAgain: boolean;
}

export function readingOf(variables: Variables, name: string): VariableReading {
  const { read } = variables.expansion;
  const isAgain = read.has(name);
  read.add(name);
  return { variables, name, isAgain };
}

/** Whether the items of a list that is read again were not checked against the type yet. */
export function isFirstCheck(variables: Variables, list: unknown, type: TypeReference): boolean {
  if (typeof list !== 'object' || list === null) return true;
  const types = remember(variables.expansion.checked, list, () => new Set<TypeReference>());
  if (types.has(type)) return false;
  types.add(type);
  return true;
}
