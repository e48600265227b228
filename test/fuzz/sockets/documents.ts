/** GraphQL requests against the world, whole and damaged, as JSON texts. */
import type { Random } from '../random.ts';
import { large } from './large.ts';
import { multiplied } from './multiplied.ts';
import { hostileJson, KEYS } from './texts.ts';

const DOCUMENTS = [
  '{ note(limit: 2) { id body } }',
  'query ($a: Int!) { note_by_pk(id: $a) { id body n tags doc at uid } }',
  'query ($a: note_bool_exp) { note(where: $a, limit: 3) { id } }',
  'query ($a: String) { note(where: {body: {_like: $a}}) { id } }',
  'query ($a: jsonb) { note(where: {doc: {_contains: $a}}) { id doc(path: "a") } }',
  'query ($a: [String!]) { note(where: {tags: {_contains: $a}}) { id tags } }',
  'query ($a: timestamptz, $b: uuid, $c: numeric) { note(where: {at: {_gt: $a}, uid: {_eq: $b}, n: {_in: [$c]}}) { id } }',
  'query ($a: String) { search_note(args: {q: $a}) { id } }',
  'query ($a: [note_order_by!]) { note(order_by: $a, limit: 2) { id } }',
  '{ note_aggregate { aggregate { count max { n } } } }',
  'mutation ($a: String, $b: jsonb) { update_note_by_pk(pk_columns: {id: 1}, _set: {body: $a, doc: $b}) { id doc } }',
  'mutation ($a: [note_insert_input!]!) { insert_note(objects: $a) { affected_rows returning { id } } }',
  'mutation ($a: note_insert_input!) { insert_note_one(object: $a) { id } }',
  'subscription ($a: Int) { note(where: {id: {_gt: $a}}) { id body } }',
  'subscription ($a: jsonb) { note(where: {doc: {_contained_in: $a}}) { id } }',
  'subscription ($a: Int) { note_stream(batch_size: 2, cursor: {initial_value: {id: $a}}) { id } }',
  'subscription { note(limit: 1) { id } }',
  'query Q { __schema { types { name } } } query R { __typename }',
  '{ __type(name: "note") { fields { name type { ofType { name } } } } }',
  '{ a: note { ...F } } fragment F on note { id ...F }',
  'query ($a: Boolean!) { note @include(if: $a) { id @skip(if: $a) } }',
  '{ note(where: {body: {_eq: """block \\u0000 """}}) { id } }',
  '{ note(where: {id: {_eq: 99999999999999999999}}) { id } }',
];

const PLAUSIBLE = [
  '1',
  '"a"',
  'true',
  '{}',
  '[]',
  '{"id":{"_eq":1}}',
  '{"body":{"_like":"\\u0000"}}',
  '[{"id":30,"body":"\\ud800","doc":{"a":"\\u0000"}}]',
  '{"id":31,"n":1e400,"tags":["\\u0000"]}',
  '"2020-01-01"',
];

const ADDED = [
  '{',
  '}',
  '(',
  ')',
  '"',
  '"""',
  '\\u0000',
  '#',
  '...',
  '@',
  '$',
  '!',
  '1e999',
  '\\ud800',
  '&',
  '[',
  '\\u202e',
];

/** The text of a document. */
export function hostileDocument(random: Random): string {
  const document = random.pick(DOCUMENTS);
  if (random.chance(0.7)) return document;
  const at = random.below(document.length);
  switch (random.below(6)) {
    case 0:
      return document.slice(0, at);
    case 1:
      return document.slice(0, at) + random.pick(ADDED) + document.slice(at);
    case 2: {
      const levels = random.pick([3, 30, 300, ...(random.chance(0.05) ? [3000, 20_000] : [])]);
      const [open, close] = random.pick([
        ['{ note ', ' }'],
        ['{ note(where: {_not: ', '}) { id } }'],
        ['{ ... on query_root ', '}'],
        ['[', ']'],
      ] as const);
      return `{ note(where: {id: {_in: [1]}}) { parent ${open.repeat(levels)}{ id }${close.repeat(levels)} } }`;
    }
    case 3:
      return `{ ${random.list(random.pick([2, 20, 200]), (index) => `a${index}: note(limit: 1) { id }`).join(' ')} }`;
    case 4:
      return document.replaceAll('note', random.pick(['__proto__', 'constructor', 'note_', 'é']));
    default:
      return document.repeat(random.pick([2, 3]));
  }
}

/** A request as JSON: plausible, with one part replaced by anything now and then. */
export function hostileRequest(random: Random, document?: string): string {
  if (document === undefined && random.chance(0.05)) {
    const { query, variables = '{}' } = random.chance(0.1) ? large(random) : multiplied(random);
    return `{"query":${quoted(query)},"variables":${variables}}`;
  }
  return damagedRequest(random, document ?? hostileDocument(random));
}

function damagedRequest(random: Random, document: string): string {
  const some = () => hostileJson(random);
  // A variable that the operation does not have is refused before anything else.
  const known = ['a', 'b', 'c'].filter((name) => document.includes(`$${name}`));
  const names = random.chance(0.9) ? known : [...known, random.pick(KEYS)];
  const variables = `{${names
    .filter(() => random.chance(0.95))
    .map((name) => `"${name}":${random.chance(0.4) ? random.pick(PLAUSIBLE) : some()}`)
    .join(',')}}`;
  const parts: [string, string][] = [
    ['query', random.chance(0.93) ? quoted(document) : some()],
    ['variables', random.chance(0.9) ? variables : some()],
  ];
  if (random.chance(0.1)) parts.push(['operationName', random.chance(0.5) ? '"Q"' : some()]);
  if (random.chance(0.05))
    parts.push(['extensions', random.chance(0.5) ? `{"persistedQuery":${some()}}` : some()]);
  if (random.chance(0.05)) parts.push([random.pick(KEYS), some()]);
  if (random.chance(0.05)) parts.push(random.pick(parts));
  const request = `{${random
    .shuffle(parts)
    .map(([key, value]) => `"${key}":${value}`)
    .join(',')}}`;
  if (random.chance(0.03)) return `[${random.list(random.below(4), () => request).join(',')}]`;
  return random.chance(0.03) ? some() : request;
}

/** A JSON string; escapes that the text holds already stay. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
