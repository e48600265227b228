/**
 * The cells of the access matrix, read from the program that is served. Projects have 1,500 tables and a hundred roles, so it
 * is made in slices, once for a program, and packed: what a role may do with an object is one character.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OPERATIONS } from '../core/contract/aspects.ts';
import { displayName } from '../core/names.ts';
import type { Program, Table } from '../core/program/program.ts';
import { remember } from '../core/remember.ts';
import { operationOf } from '../core/schema/offer.ts';
import { offeredRoots } from '../core/schema/offered-roots.ts';
import { servedBesideTables } from '../core/schema/services.ts';
import { rulesOf } from '../core/schema/visible-table.ts';
import { relationWords, variantText } from './permission.ts';
import type { AccessLine } from './questions.ts';

type Rules = ReturnType<typeof rulesOf>;

/** Milliseconds of work before requests get their turn. */
const SLICE = 8;
/** Code of the character for variant 0. */
const FIRST = '0'.charCodeAt(0);

/** Memo: a program never changes. */
const known = new WeakMap<Program, Promise<string>>();

/** An `AccessAnswer`, as JSON. */
export function accessAnswer(program: Program): Promise<string> {
  const found = known.get(program) ?? makeAnswer(program);
  known.set(program, found);
  return found;
}

async function makeAnswer(program: Program): Promise<string> {
  const roles = rolesOf(program);
  const lines: AccessLine[] = [];
  let start = performance.now();
  for (const line of linesOf(program, roles)) {
    lines.push(line);
    if (performance.now() - start < SLICE) continue;
    await nextTurn();
    start = performance.now();
  }
  return JSON.stringify({ roles, lines });
}

/** Every role but `admin`, sorted. */
export function rolesOf({ roles }: Program): string[] {
  return [...roles].sort();
}

function* linesOf(program: Program, roles: readonly string[]): Generator<AccessLine> {
  for (const table of program.tables) {
    const { source, schema, name, kind, columns, computedFields = {} } = table.shape;
    yield {
      ...{ kind: 'table', source: source.name, name: table.key, label: displayName(schema, name) },
      ...(kind !== 'table' && { relation: relationWords(kind) }),
      columns: [...Object.keys(columns), ...Object.keys(computedFields)],
      ...packRules(table, roles, program),
    };
  }
  for (const served of servedBesideTables(program)) {
    const { kind, source, name, label, useOf } = served;
    yield {
      kind,
      source,
      name,
      label,
      ...pack<string | readonly string[] | undefined>(roles, useOf, (use) => (use === undefined ? '' : 'x')),
    };
  }
}

function packRules(table: Table, roles: readonly string[], program: Program) {
  const access = program.access(table);
  const mentioned = new Set(OPERATIONS.flatMap((operation) => Object.keys(access[operation] ?? {})));
  return pack(
    roles,
    (role) => (mentioned.has(role) ? rulesOf(access, role) : undefined),
    (rules) => (rules ? letters(table, rules, program) : ''),
  );
}

/**
 * @param of what decides about a role; equal texts, or equal JSON, are the same variant
 * @param shown the variant's text, empty for nothing
 */
function pack<Value>(
  roles: readonly string[],
  of: (role: string) => Value,
  shown: (value: Value) => string,
): Pick<AccessLine, 'variants' | 'cells'> {
  const variants = [''];
  const numbers = new Map<string, number>();
  let cells = '';
  for (const role of roles) {
    const value = of(role);
    // The text of a remote schema may have a million characters.
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    const number = remember(numbers, key, () => {
      const text = shown(value);
      return text === '' ? 0 : variants.push(text) - 1;
    });
    cells += String.fromCharCode(FIRST + number);
  }
  return { variants, cells };
}

function letters(table: Table, rules: Rules, { options }: Program): string {
  const offered = new Set(offeredRoots(table, rules, options).map(({ kind }) => operationOf(kind)));
  return variantText((operation) => rules[operation], offered);
}
