/** JSON values as requests have them: exact numbers, their text, and what errors call them. */
import { EngineError } from '../errors.ts';

/** A number written in a document or in variables, with all its digits. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JSON text of a value, numbers with the digits they were written with. */
export function jsonText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (value instanceof NumberText) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? jsonText(item) : `,${jsonText(item)}`;
    return `[${text}]`;
  }
  for (const [name, item] of Object.entries(value))
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${jsonText(item)}`;
  return `{${text}}`;
}

/** A value of another JSON kind than what reads it takes. */
export function expectedKind(what: string, kind: string, value: unknown): EngineError {
  const found = value instanceof NumberText ? 'Number' : jsonKind(value);
  return new EngineError(
    'parse-failed',
    `parsing ${what} failed, expected ${kind}, but encountered ${found}`,
  );
}

/** The JSON kind of a value as error texts of the reference name it. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'Null';
  if (Array.isArray(value)) return 'Array';
  const kind = typeof value;
  return kind === 'object' ? 'Object' : kind.slice(0, 1).toUpperCase() + kind.slice(1);
}

/** True for a JSON object. A number with all its digits does not count. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}
