/** Values of GraphQL variables that logs do not show. */
import { isObject } from '../core/json/json-value.ts';

const MASK = '[MASKED]';

export interface Masking {
  /** The variables as they are logged. */
  readonly variables: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** The texts inside the variables that are masked, which may come back in SQL, errors and addresses. */
  readonly secrets: (variables: Readonly<Record<string, unknown>>) => readonly string[];
}

/** @returns undefined when nothing is to be masked */
export function createMasking(names: readonly string[]): Masking | undefined {
  if (names.length === 0) return undefined;
  const masked = new Set(names);
  return {
    variables: (variables) =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, masked.has(name) ? MASK : value]),
      ),
    secrets: (variables) =>
      Object.entries(variables)
        .flatMap(([name, value]) => (masked.has(name) ? textsOf(value) : []))
        // The longest first: one may be part of another.
        .sort((left, right) => right.length - left.length),
  };
}

function textsOf(value: unknown): string[] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  // Numbers that keep all their digits are objects that print themselves.
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return [String(value)];
  return Object.values(value).flatMap(textsOf);
}

/** Removes the secrets from all texts of a logged value. */
export function withoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  if (secrets.length === 0) return value;
  return clean(value, (text) => secrets.reduce((all, secret) => all.replaceAll(secret, MASK), text)) as Value;
}

function clean(value: unknown, cleanText: (text: string) => string): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, cleanText));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, cleanText)]));
}
