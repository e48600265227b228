/** The rows of the matrix, and the text of its cells. */
import type { AccessAnswer, AccessLine, AccessObject, DifferenceAnswer } from '../questions.ts';
import { address } from './route.ts';

export const OPERATIONS = ['select', 'insert', 'update', 'delete'] as const;

/** Code of the character for variant 0. */
const FIRST = '0'.charCodeAt(0);

export interface AccessRow extends AccessObject {
  readonly label: string;
  /** Its kind, and its source where there are several. */
  readonly note: string;
  /** Lower case: the names by which it is found, each on a line. */
  readonly searched: string;
}

/** Role → what it was allowed before. */
type Before = ReadonlyMap<string, string>;

export interface Cells {
  readonly rows: readonly AccessRow[];
  readonly roles: readonly string[];
  /** The variant of a role: see AccessLine; empty for nothing. */
  readonly text: (row: AccessRow, role: string) => string;
  /** Whether two roles may do different things. */
  readonly differ: (row: AccessRow, one: string, other: string) => boolean;
  /** The variant that the other version has; undefined where both are equal, or nothing is compared. */
  readonly before: (row: AccessRow, role: string) => string | undefined;
  /** Whether the other version differs anywhere in the row. */
  readonly isChanged: (row: AccessRow) => boolean;
}

/** @param difference to another version, whose objects and roles are shown as well */
export function cellsOf(answer: AccessAnswer, difference: DifferenceAnswer | undefined): Cells {
  const numbers = new Map(answer.roles.map((role, index) => [role, index]));
  const lines = new Map<AccessRow, AccessLine>();
  const byKey = new Map<string, AccessRow>();
  const noteOf = notes(answer.lines);
  for (const line of answer.lines) {
    const { kind, source, name, label, columns = [] } = line;
    const searched = [name, label, ...columns].join('\n').toLowerCase();
    const row = { kind, source, name, label, note: noteOf(line), searched };
    lines.set(row, line);
    byKey.set(keyOf(row), row);
  }
  const changes = new Map<AccessRow, Map<string, string>>();
  for (const { role, before, ...object } of difference?.cells ?? []) {
    const key = keyOf(object);
    const { kind, source, name, label } = object;
    const searched = name.toLowerCase();
    const row = byKey.get(key) ?? { kind, source, name, label, note: noteOf(object), searched };
    byKey.set(key, row);
    const own: Before = changes.get(row) ?? new Map();
    changes.set(row, new Map([...own, [role, before]]));
  }
  const variant = (row: AccessRow, role: string): number => {
    const number = numbers.get(role);
    return number === undefined ? 0 : (lines.get(row)?.cells.charCodeAt(number) ?? FIRST) - FIRST;
  };
  return {
    rows: [...byKey.values()],
    roles: [...new Set([...answer.roles, ...(difference?.cells.map(({ role }) => role) ?? [])])].sort(),
    text: (row, role) => lines.get(row)?.variants[variant(row, role)] ?? '',
    differ: (row, one, other) => variant(row, one) !== variant(row, other),
    before: (row, role) => changes.get(row)?.get(role),
    isChanged: (row) => changes.has(row),
  };
}

function notes(
  lines: readonly AccessLine[],
): (object: AccessObject & Pick<AccessLine, 'relation'>) => string {
  const hasSeveral = new Set(lines.flatMap(({ source }) => (source === '' ? [] : [source]))).size > 1;
  return ({ kind, source, relation = kind }) =>
    hasSeveral && source !== '' ? `${relation} of ${source}` : relation;
}

export function keyOf({ kind, source, name }: AccessObject): string {
  return JSON.stringify([kind, source, name]);
}

/** The address of a cell, or without a role of a row. Tables are what most rows are, so their kind is left out. */
export function accessAddress({ kind, source, name }: AccessObject, role: string): string {
  return address('access', source || '-', name, role, ...(kind === 'table' ? [] : [kind]));
}

/** The object of such an address. */
export function objectAt([source = '', name = '', , kind = 'table']: readonly string[]): AccessObject {
  return { kind: kind as AccessObject['kind'], source: source === '-' ? '' : source, name };
}

/** A variant in words, for those who hear the matrix: `select by rule, insert every row`. */
export function inWords(text: string): string {
  if (text === '') return 'nothing';
  if (text === 'x') return 'allowed';
  return OPERATIONS.flatMap((operation, index) => {
    const letter = text[index]!;
    if (letter === '-') return [];
    const mark = { b: ', for trusted callers', h: ', without a root field' }[text[index + 4] ?? ''] ?? '';
    return [`${operation} ${letter === letter.toUpperCase() ? 'every row' : 'by rule'}${mark}`];
  }).join('; ');
}
