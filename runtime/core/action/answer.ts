/**
 * Answers of handlers: checked as a whole against the type that the metadata declares, in the way GraphQL completes
 * values, then printed as the selection asks for them.
 */

import { pathStep } from '../errors.ts';
import { isObject } from '../json/json.ts';
import type { SelectedField, Selection } from '../request/selection.ts';
import { type NamedType, namedType, type TypeReference } from '../schema/types.ts';
import { jsonText, NumberText } from '../types.ts';

/** An answer does not fit its type. */
export class AnswerMismatch extends Error {
  /** From the value inwards: put together while the error travels, so that answers that fit need no paths. */
  readonly #steps: (string | number)[] = [];

  /** Where in the answer: `$.items[3].price`. */
  get path(): string {
    return this.#steps.reduceRight<string>(pathStep, '$');
  }

  /** @returns itself, as an error of the value that has the failed one at this step */
  within(step: string | number): this {
    this.#steps.push(step);
    return this;
  }
}

/**
 * Checks a value against a type: all declared fields, selected or not; others are ignored.
 * @returns the value completed: declared fields only, absent ones null, scalars as GraphQL serialises them
 * @throws AnswerMismatch
 */
export function completeAnswer(type: TypeReference, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (type.kind !== 'nonNull') return null;
    throw new AnswerMismatch('got null for the action webhook response');
  }
  if (type.kind === 'nonNull') return completeAnswer(type.of, value);
  if (type.kind === 'list') {
    if (!Array.isArray(value)) throw new AnswerMismatch('expecting array for the action webhook response');
    return value.map((item, index) => completePart(type.of, item, index));
  }
  return completeNamed(type, value);
}

/** A value of a list or object. @param step that leads to it */
function completePart(type: TypeReference, value: unknown, step: string | number): unknown {
  try {
    return completeAnswer(type, value);
  } catch (error) {
    throw error instanceof AnswerMismatch ? error.within(step) : error;
  }
}

function completeNamed(type: NamedType, value: unknown): unknown {
  switch (type.kind) {
    case 'object': {
      if (!isObject(value)) throw unexpectedKind(type, value);
      const fields: Record<string, unknown> = {};
      for (const { name, type: fieldType, meaning } of type.fields().values()) {
        if (meaning.kind !== 'answer') continue;
        const given = Object.hasOwn(value, name) ? value[name] : undefined;
        if (fieldType.kind === 'nonNull' && (given === null || given === undefined)) {
          const message =
            given === null
              ? `expecting not null value for field ${JSON.stringify(name)}`
              : `field ${JSON.stringify(name)} expected in webhook response, but not found`;
          throw new AnswerMismatch(message).within(name);
        }
        fields[name] = completePart(fieldType, given, name);
      }
      return fields;
    }
    case 'enum':
      if (typeof value === 'string' && type.values.has(value)) return value;
      throw unexpectedKind(type, value);
    case 'scalar': {
      const serialise = SERIALISE[typeof type.accepts === 'string' ? type.accepts : 'any'];
      const completed = serialise ? serialise(value) : value;
      if (completed === undefined) throw unexpectedKind(type, value);
      return completed;
    }
    case 'input':
      throw new Error(`the input type ${type.name} is not an output type`);
  }
}

/** The value as the scalar serialises it; undefined where it cannot be one. */
type Serialise = (value: unknown) => unknown;

const SERIALISE: Readonly<Record<string, Serialise>> = {
  integer: (value) => {
    const number = numberOf(value);
    if (number === undefined || !Number.isInteger(number)) return undefined;
    return Math.abs(number) <= 2147483647 || number === -2147483648 ? number : undefined;
  },
  float: (value) => {
    const number = numberOf(value);
    if (number === undefined || !Number.isFinite(number)) return undefined;
    return value instanceof NumberText ? value : number;
  },
  string: (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean') return String(value);
    return textOfNumber(value);
  },
  boolean: (value) => {
    if (typeof value === 'boolean') return value;
    const number = typeof value === 'string' ? undefined : numberOf(value);
    return number === undefined || !Number.isFinite(number) ? undefined : number !== 0;
  },
  id: (value) => {
    if (typeof value === 'string') return value;
    const number = typeof value === 'boolean' ? undefined : numberOf(value);
    return number !== undefined && Number.isInteger(number) ? textOfNumber(value) : undefined;
  },
};

/** A number, a text of one that is not empty, or a boolean as 0 and 1. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof NumberText) return Number(value.text);
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function textOfNumber(value: unknown): string | undefined {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'number' ? String(value) : undefined;
}

function unexpectedKind(type: NamedType, value: unknown): AnswerMismatch {
  const found = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : `scalar ${scalarKind(value)}`;
  return new AnswerMismatch(`got ${found} for the action webhook response, expecting ${type.name}`);
}

function scalarKind(value: unknown): string {
  if (typeof value === 'string') return 'String';
  return typeof value === 'boolean' ? 'Boolean' : 'Number';
}

/** The JSON text of a completed value, as a field of a selection asks for it. */
export function actionAnswerText(type: TypeReference, value: unknown, selection: Selection): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value) && type.kind !== 'nonNull' && type.kind !== 'list') return jsonText(value);
  if (type.kind === 'nonNull') return actionAnswerText(type.of, value, selection);
  if (type.kind === 'list') {
    return `[${(value as readonly unknown[]).map((item) => actionAnswerText(type.of, item, selection)).join(',')}]`;
  }
  if (type.kind !== 'object') return jsonText(value);
  const object = value as Readonly<Record<string, unknown>>;
  let members = '';
  // A response name is a GraphQL name: it needs no escapes.
  for (const field of selection.fields)
    members += `${members === '' ? '' : ','}"${field.responseName}":${fieldText(field, object, selection)}`;
  return `{${members}}`;
}

function fieldText(
  { definition, selection: inner }: SelectedField,
  object: Readonly<Record<string, unknown>>,
  outer: Selection,
): string {
  const { meaning, name, type } = definition;
  switch (meaning.kind) {
    case 'typename':
      return JSON.stringify(outer.typeName);
    case 'answer':
      return actionAnswerText(type, object[name], inner);
    case 'join': {
      // The values that the join looks up; it puts what it finds in their place.
      const keys = meaning.join.keys.map((key) => object[key.name]);
      return keys.includes(null) ? 'null' : jsonText(keys);
    }
    default:
      throw new Error(`an answer has no field of the kind ${meaning.kind}`);
  }
}

/** Whether a type is an object below its lists. */
export function isObjectType(type: TypeReference): boolean {
  return namedType(type).kind === 'object';
}
