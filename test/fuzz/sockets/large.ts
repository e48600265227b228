/** Requests with one long list or object of each kind: their text is linear in what they ask for, and so is the work. */
import type { Random } from '../random.ts';
import type { Multiplied } from './multiplied.ts';

/** The items of a list, separated, up to so many bytes. */
function fill(bytes: number, item: (index: number) => string, separator = ','): string {
  const items: string[] = [];
  for (let length = 0; length < bytes; length += items.at(-1)!.length + 1) items.push(item(items.length));
  return items.join(separator);
}

const where = (a: string): Multiplied => ({
  query: 'query ($a: note_bool_exp) { note(where: $a, limit: 1) { id } }',
  variables: `{"a":${a}}`,
});
const listed = (key: string, bytes: number, item: (index: number) => string) =>
  where(`{"${key}":[${fill(bytes, item)}]}`);
const objects = (bytes: number, item: (index: number) => string, more = ''): Multiplied => ({
  query: `mutation ($a: [note_insert_input!]!) { insert_note(objects: $a${more}) { affected_rows } }`,
  variables: `{"a":[${fill(bytes, item)}]}`,
});
const json = (bytes: number) => fill(bytes, (index) => `"k${index}":[${index},"a"]`);

export const LARGE: Readonly<Record<string, (bytes: number) => Multiplied>> = {
  'conditions, _and': (bytes) => listed('_and', bytes, (index) => `{"id":{"_eq":${index}}}`),
  'conditions, _or': (bytes) => listed('_or', bytes, (index) => `{"id":{"_eq":${index}}}`),
  'empty conditions': (bytes) => listed('_or', bytes, () => '{}'),
  'nulls in conditions': (bytes) => listed('_and', bytes, () => '{"id":{"_is_null":true}}'),
  'conditions that may fail': (bytes) => listed('_and', bytes, () => '{"body":{"_regex":"a"}}'),
  'conditions on JSON': (bytes) => listed('_or', bytes, () => '{"doc":{"_has_key":"a"}}'),
  'conditions of lists': (bytes) => listed('_or', bytes, () => '{"id":{"_in":[1]}}'),
  'conditions of relationships': (bytes) => listed('_or', bytes, () => '{"up":{"id":{"_eq":1}}}'),
  'conditions of relationships, joined': (bytes) => listed('_and', bytes, () => '{"up":{"id":{"_eq":1}}}'),
  'conditions of relationships, empty': (bytes) => listed('_or', bytes, () => '{"children":{}}'),
  'conditions of aggregates': (bytes) =>
    listed('_or', bytes, () => '{"children_aggregate":{"count":{"predicate":{"_gt":1}}}}'),
  'conditions in conditions': (bytes) => listed('_or', bytes, () => '{"_and":[{"_not":{"id":{"_eq":1}}}]}'),
  'conditions, each deep': (bytes) =>
    listed('_or', bytes, () => `${'{"_not":'.repeat(100)}{"id":{"_eq":1}}${'}'.repeat(100)}`),
  'deep conditions of relationships': (bytes) =>
    listed('_or', bytes, () => `${'{"up":'.repeat(100)}{"id":{"_eq":1}}${'}'.repeat(100)}`),
  'a long list below deep conditions': (bytes) =>
    where(`${'{"_not":'.repeat(200)}{"_or":[${fill(bytes, () => '{"id":{"_eq":1}}')}]}${'}'.repeat(200)}`),
  'values of _in': (bytes) => where(`{"id":{"_in":[${fill(bytes, String)}]}}`),
  'texts of _in': (bytes) => where(`{"body":{"_in":[${fill(bytes, (index) => `"t${index}"`)}]}}`),
  'unknown fields': (bytes) => where(`{${fill(bytes, (index) => `"f${index}":1`)}}`),
  'a wide JSON value': (bytes) => where(`{"doc":{"_contains":{${json(bytes)}}}}`),
  orders: (bytes) => ({
    query: 'query ($a: [note_order_by!]) { note(order_by: $a, limit: 1) { id } }',
    variables: `{"a":[${fill(bytes, () => '{"id":"asc"}')}]}`,
  }),
  'orders of relationships': (bytes) => ({
    query: 'query ($a: [note_order_by!]) { note(order_by: $a, limit: 1) { id } }',
    variables: `{"a":[${fill(bytes, () => '{"up":{"id":"asc"}}')}]}`,
  }),
  'distinct columns': (bytes) => ({
    query: 'query ($a: [note_select_column!]) { note(distinct_on: $a, limit: 1) { id } }',
    variables: `{"a":[${fill(bytes, () => '"id"')}]}`,
  }),
  'rows, alike': (bytes) => objects(bytes, (index) => `{"id":${100_000 + index},"body":"a"}`),
  'rows that differ': (bytes) =>
    objects(bytes, (index) => `{"id":${200_000 + index}${index % 2 ? ',"body":"a"' : ''}}`),
  'empty rows': (bytes) => objects(bytes, () => '{}'),
  'rows with children': (bytes) =>
    objects(bytes, (index) => `{"id":${300_000 + index},"children":{"data":[{"id":${900_000 + index}}]}}`),
  'rows with children and a conflict': (bytes) =>
    objects(
      bytes,
      (index) => `{"id":${400_000 + index},"children":{"data":[{"id":${1_500_000 + index}}]}}`,
      ', on_conflict: {constraint: note_pkey, update_columns: [body]}',
    ),
  'one row with children': (bytes) =>
    objects(
      1,
      () => `{"id":500000,"children":{"data":[${fill(bytes, (index) => `{"id":${600_000 + index}}`)}]}}`,
    ),
  'columns of a conflict': (bytes) => ({
    query:
      'mutation ($a: [note_update_column!]!) { insert_note(objects: {id: 1}, on_conflict: {constraint: note_pkey, update_columns: $a}) { affected_rows } }',
    variables: `{"a":[${fill(bytes, () => '"body"')}]}`,
  }),
  'a condition of a conflict': (bytes) => ({
    query:
      'mutation ($a: note_bool_exp) { insert_note(objects: {id: 1}, on_conflict: {constraint: note_pkey, update_columns: body, where: $a}) { affected_rows } }',
    variables: `{"a":{"_or":[${fill(bytes, () => '{"id":{"_eq":1}}')}]}}`,
  }),
  'several updates': (bytes) => ({
    query: 'mutation ($a: [note_updates!]!) { update_note_many(updates: $a) { affected_rows } }',
    variables: `{"a":[${fill(bytes, (index) => `{"where":{"id":{"_eq":${index}}},"_set":{"body":"b"}}`)}]}`,
  }),
  'input of an action': (bytes) => ({
    query: 'query ($a: [Line!]!) { lines(lines: $a) { id } }',
    variables: `{"a":[${fill(bytes, (index) => `{"n":${index},"more":[{"n":1}]}`)}]}`,
  }),
  'JSON of an action': (bytes) => ({
    query: 'query ($a: jsonb) { act(n: 1, x: $a) { id } }',
    variables: `{"a":{${json(bytes)}}}`,
  }),
  'input of a remote schema': (bytes) => ({
    query: 'query ($a: [Lined!]!) { lined(lines: $a) }',
    variables: `{"a":[${fill(bytes, (index) => `{"n":${index},"more":[{"n":1}]}`)}]}`,
  }),
  'a live query': (bytes) => ({
    query: 'subscription ($a: note_bool_exp) { note(where: $a, limit: 1) { id } }',
    variables: `{"a":{"_or":[${fill(bytes, (index) => `{"id":{"_eq":${index}}}`)}]}}`,
  }),
  'a stream': (bytes) => ({
    query:
      'subscription ($a: note_bool_exp) { note_stream(batch_size: 1, cursor: {initial_value: {id: 0}}, where: $a) { id } }',
    variables: `{"a":{"_or":[${fill(bytes, (index) => `{"id":{"_eq":${index}}}`)}]}}`,
  }),
  'conditions in the document': (bytes) => ({
    query: `{ note(limit: 1, where: {_or: [${fill(Math.min(bytes, 150_000), (index) => `{id: {_eq: ${index}}}`)}]}) { id } }`,
  }),
  'fields in the document': (bytes) => ({
    query: `{ note(limit: 1) { ${fill(Math.min(bytes, 300_000), (index) => `a${index}: id`, ' ')} } }`,
  }),
};

/** Kinds that take longer than the fuzzer allows; docs/benchmarks.md says why. */
export const SLOW: ReadonlySet<string> = new Set([
  'empty rows',
  'rows that differ',
  'rows with children',
  'rows with children and a conflict',
  'one row with children',
]);

/** Kinds that a peer answers, which the fuzzer lets answer anything. */
const OF_PEERS = /of an action|of a remote schema/;

export function large(random: Random): Multiplied {
  const kinds = Object.entries(LARGE).filter(([name]) => !SLOW.has(name) && !OF_PEERS.test(name));
  const [, make] = random.pick(kinds);
  return make(random.pick([10_000, 100_000, 500_000]));
}
