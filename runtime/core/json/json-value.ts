/** JSON values as requests have them: exact numbers, their text, and what errors call them. */
import { EngineError } from '../errors.ts';

/**
 * Maximum number of arrays and objects around a value of a JSON text that comes from outside. Far less than what the stacks of
 * JSON.stringify and PostgreSQL (`max_stack_depth`) have room for, so that everything behind an entrance may recurse.
 */
export const MAX_JSON_DEPTH = 500;

/** A number written in a document, in variables or in metadata, with all its digits. `jsonText` prints it. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** JSON.stringify has no way to print the number, so keys and log lines made by it hold the digits as a string. */
  toJSON(): string {
    return this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** A number of a generated file that JavaScript's numbers cannot hold. */
export function exact(text: string): NumberText {
  return new NumberText(text);
}

/** As JSON.stringify, numbers with the digits they were written with. @param indent of each level; on one line without it */
export function jsonText(value: unknown, indent?: string): string {
  if (indent !== undefined) return indented(value, indent, '\n');
  // Most values have no such number, and one call is faster than one for each part.
  return hasNumberText(value) ? compact(value) : JSON.stringify(value ?? null);
}

function hasNumberText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof NumberText) return true;
  if (Array.isArray(value)) return value.some(hasNumberText);
  for (const name of Object.keys(value))
    if (hasNumberText((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}

function compact(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (value instanceof NumberText) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? compact(item) : `,${compact(item)}`;
    return `[${text}]`;
  }
  // Not Object.entries: it makes a list for each member.
  for (const name of Object.keys(value)) {
    const item = (value as Readonly<Record<string, unknown>>)[name];
    if (item !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${compact(item)}`;
  }
  return `{${text}}`;
}

function indented(value: unknown, indent: string, line: string): string {
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return compact(value);
  const inner = `${line}${indent}`;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map((item) => indented(item, indent, inner))
    : Object.entries(value).flatMap(([name, item]) =>
        item === undefined ? [] : [`${JSON.stringify(name)}: ${indented(item, indent, inner)}`],
      );
  return items.length === 0 ? `${open}${close}` : `${open}${inner}${items.join(`,${inner}`)}${line}${close}`;
}

/** A value of another JSON kind than what reads it takes. */
export function expectedKind(what: string, kind: string, value: unknown): EngineError {
  return new EngineError(
    'parse-failed',
    `parsing ${what} failed, expected ${kind}, but encountered ${jsonKind(value)}`,
  );
}

/** The JSON kind of a value as error texts of the reference name it. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'Null';
  if (Array.isArray(value)) return 'Array';
  if (value instanceof NumberText) return 'Number';
  const kind = typeof value;
  return kind === 'object' ? 'Object' : kind.slice(0, 1).toUpperCase() + kind.slice(1);
}
