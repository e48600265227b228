/**
 * Values of the left side of a join as arguments of another server. A server refuses a whole document over one value that an
 * argument does not take, so such a value is never sent: nothing is found for it.
 * @rule Which values of rows does an argument of a remote schema take?
 */

import { Kind, type TypeNode } from 'graphql';
import { keyText } from '../join/key.ts';
import { JsonScanner } from '../json/scanner.ts';
import { givenType, isOneOf, type RemoteDocument, type TypeDefinition } from './document.ts';

/** The JSON of a value as an argument takes it; undefined for a value that it does not take. */
export type ReadRemoteKey = (json: string) => string | undefined;

/** @param document the part of the schema that the role has: a value that names anything else does not fit */
export function keyReader(type: TypeNode, document: RemoteDocument): ReadRemoteKey {
  return (json) => readValue(json, type, document);
}

function readValue(json: string, type: TypeNode, document: RemoteDocument): string | undefined {
  if (type.kind === Kind.NON_NULL_TYPE)
    return json === 'null' ? undefined : readValue(json, type.type, document);
  if (json === 'null') return json;
  if (type.kind === Kind.LIST_TYPE) {
    // A value that is no list is one item.
    const items = json.startsWith('[') ? itemsOf(json) : [json];
    const read = items.map((item) => readValue(item, type.type, document));
    return read.includes(undefined) ? undefined : `[${read.join(',')}]`;
  }
  return readNamed(json, type.name.value, document);
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const MAX_INT = 2147483647;
/** Digits of integers that every reader of JSON keeps. */
const SAFE_DIGITS = 15;

/** Numbers that came as strings are numbers, and the other way round. */
function readNamed(json: string, name: string, document: RemoteDocument): string | undefined {
  const isText = json.startsWith('"');
  switch (name) {
    case 'String':
      return isText ? json : JSON.stringify(json);
    case 'ID':
      return isText || (INTEGER.test(json) && json.length <= SAFE_DIGITS) ? json : JSON.stringify(json);
    case 'Int': {
      const text = keyText(json);
      return INTEGER.test(text) && Number(text) >= -MAX_INT - 1 && Number(text) <= MAX_INT ? text : undefined;
    }
    case 'Float': {
      const text = keyText(json);
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? text : undefined;
    }
    case 'Boolean':
      return json === 'true' || json === 'false' ? json : undefined;
  }
  const definition = document.types.get(name);
  switch (definition?.kind) {
    case Kind.ENUM_TYPE_DEFINITION: {
      const text = keyText(json);
      return definition.values?.some((value) => value.name.value === text) ? JSON.stringify(text) : undefined;
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return readObject(json, definition, document);
    default:
      return json;
  }
}

type InputObject = Extract<TypeDefinition, { kind: Kind.INPUT_OBJECT_TYPE_DEFINITION }>;

function readObject(json: string, definition: InputObject, document: RemoteDocument): string | undefined {
  if (!json.startsWith('{')) return undefined;
  const { fields = [] } = definition;
  const given = new Map<string, string | undefined>();
  const scanner = new JsonScanner(json);
  scanner.eachMember((key) => {
    const field = fields.find(({ name }) => name.value === key);
    const value = scanner.slice();
    given.set(key, field && readValue(value, givenType(field, definition), document));
  });
  const lacks = fields.some(
    ({ name, type, defaultValue }) =>
      type.kind === Kind.NON_NULL_TYPE && !defaultValue && !given.has(name.value),
  );
  if (lacks || (isOneOf(definition) && given.size !== 1)) return undefined;
  const members: string[] = [];
  for (const [key, value] of given) {
    if (value === undefined) return undefined;
    members.push(`${JSON.stringify(key)}:${value}`);
  }
  return `{${members.join(',')}}`;
}

function itemsOf(json: string): string[] {
  const items: string[] = [];
  const scanner = new JsonScanner(json);
  scanner.eachItem(() => items.push(scanner.slice()));
  return items;
}
