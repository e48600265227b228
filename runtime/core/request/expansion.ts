/**
 * Bounds what an operation grows to when fragments are expanded where they are spread, and variables read where they are used.
 * Without it a document of n fragments and variables can ask for n² or 2ⁿ parts.
 */
import { EngineError } from '../errors.ts';
import { remember } from '../remember.ts';
import type { TypeReference } from '../schema/types.ts';
import type { Variables } from './variables.ts';

/**
 * Maximum parts of an operation: selections, values written in the document, and parts of a variable that was read before.
 * Tokens of a document are bounded by the same number, so only fragments and variables that are repeated reach it.
 */
export const MAX_PARTS = 100_000;

interface Expansion {
  parts: number;
  /** Names of variables that were read. */
  readonly read: Set<string>;
  /** Lists of scalars, with the types that their items were checked against. */
  readonly checked: Map<object, Set<TypeReference>>;
}

/** By the variables of an operation, which exist once for each planning of it. */
const expansions = new WeakMap<Variables, Expansion>();

function expansionOf(variables: Variables): Expansion {
  return remember(expansions, variables, () => ({ parts: 0, read: new Set(), checked: new Map() }));
}

/** Counts one more part. @throws EngineError when there are too many */
export function countPart(variables: Variables, path: string): void {
  const expansion = expansionOf(variables);
  expansion.parts += 1;
  if (expansion.parts > MAX_PARTS) {
    throw new EngineError(
      'validation-failed',
      `the operation has more than ${MAX_PARTS} parts when fragments and variables are expanded`,
      { path },
    );
  }
}

/** The value of a variable while it is read. */
export interface Reading {
  readonly variables: Variables;
  /** It was read before, so that its parts count. */
  readonly isAgain: boolean;
}

export function readingOf(variables: Variables, name: string): Reading {
  const { read } = expansionOf(variables);
  const isAgain = read.has(name);
  read.add(name);
  return { variables, isAgain };
}

/** Whether the items of a list were not checked against the type yet. */
export function isFirstCheck(variables: Variables, list: unknown, type: TypeReference): boolean {
  if (typeof list !== 'object' || list === null) return true;
  const types = remember(expansionOf(variables).checked, list, () => new Set<TypeReference>());
  if (types.has(type)) return false;
  types.add(type);
  return true;
}
