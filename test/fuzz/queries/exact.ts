/** Values as the JSON that Postgres prints for them. */
import type { Exact } from './answer.ts';
import { type FuzzType, isObject, TYPES, type Value } from './types.ts';

/** The JSON that Postgres prints for a value. */
export function exact(type: FuzzType, value: Value): Exact {
  if (value === null) return null;
  if (type.name === 'jsonb') return exactJson(value);
  if (type.element) {
    const element = TYPES[type.element];
    return { kind: 'list', items: (value as readonly Value[]).map((item) => exact(element, item)) };
  }
  if (type.number) return { kind: 'number', text: numberText(value) };
  return typeof value === 'boolean' ? value : String(value);
}

/** Postgres writes large doubles with an exponent. */
function numberText(value: Value): string {
  return typeof value === 'number' && Math.abs(value) >= 1e15 ? value.toExponential() : String(value);
}

/** Keys in jsonb's order: shorter ones first. */
function exactJson(value: Value): Exact {
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (Array.isArray(value)) return { kind: 'list', items: (value as readonly Value[]).map(exactJson) };
  if (!isObject(value)) return value as Exact;
  const keys = Object.keys(value).sort(
    (left, right) => left.length - right.length || (left < right ? -1 : 1),
  );
  return { kind: 'object', entries: keys.map((key) => [key, exactJson(value[key]!)]) };
}
