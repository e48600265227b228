/** Documents whose parts multiply: what they ask for grows faster than their text, or did once. */
import type { Random } from '../random.ts';

/** A document, and values of its variables as JSON where it has some. */
export interface Multiplied {
  readonly query: string;
  readonly variables?: string;
}

const times = (count: number, text: (index: number) => string, separator = ' ') =>
  Array.from({ length: count }, (_, index) => text(index)).join(separator);
const nested = (levels: number, open: string, inner: string, close = '}') =>
  open.repeat(levels) + inner + close.repeat(levels);
/** Fragments of which each spreads the next one twice, in fields or in place. */
const doubling = (levels: number, last: string, wrap: (spread: string) => string, on = 'note') =>
  times(levels, (index) => `fragment F${index} on ${on} { ${wrap(`...F${index + 1}`)} }`) +
  ` fragment F${levels} on ${on} { ${last} }`;

const SHAPES: readonly ((count: number) => Multiplied)[] = [
  (count) => ({ query: `{ note { ${times(count, (index) => `a${index}: id`)} } }` }),
  (count) => ({ query: `{ note { ${times(count, () => 'up { id }')} } }` }),
  (count) => ({ query: `{ ${times(count, () => 'note(where: {id: {_in: [1, 2, 3]}}) { id }')} }` }),
  (count) => ({ query: `{ note { id ${times(count, (index) => `@d${index}`)} } }` }),
  (count) => ({ query: `query ${times(count, (index) => `@d${index}`)} { note { id } }` }),
  (count) => ({ query: `{ note(order_by: [${times(count, () => '{up: {id: asc}}')}], limit: 1) { id } }` }),
  (count) => ({
    query: `{ note { ...F } ${times(count, () => '...R')} } fragment F on note { id } fragment R on query_root { note { id } }`,
  }),
  (count) => ({
    query: `{ note { ...F0 } } ${doubling(Math.min(count, 150), 'id @skip(if: true)', (spread) => `${spread} ${spread}`)}`,
  }),
  (count) => ({
    query: `{ note { ...F0 } } ${doubling(Math.min(count, 12), 'id', (spread) => `a: up { ${spread} } b: up { ${spread} }`)}`,
  }),
  (count) => ({
    query: `{ __schema { ...F0 } } ${doubling(Math.min(count, 150), 'queryType { name }', (spread) => `${spread} ${spread}`, '__Schema')}`,
  }),
  (count) => ({
    query: `{ ${times(count, (index) => `a${index}: note { ...F }`)} } fragment F on note { children(where: {_or: [${times(count, () => '{id: {_eq: 1}}')}]}) { id } }`,
  }),
  (count) => ({
    query: `query ($a: note_bool_exp) { ${times(count, (index) => `a${index}: note(where: $a) { id }`)} }`,
    variables: `{"a":{"_and":[${times(count, () => '{"id":{"_eq":1}}', ',')}]}}`,
  }),
  (count) => ({
    query: `query ($a: [Int!]) { note(where: {_or: [${times(count, () => '{id: {_in: $a}}')}]}) { id } }`,
    variables: `{"a":[${times(count * 10, String, ',')}]}`,
  }),
  (count) => ({
    query: 'query ($a: note_bool_exp) { note(where: $a) { id } }',
    variables: `{"a":${nested(Math.min(count, 150), '{"_not":', `{"_and":[${times(count, () => '{"id":{"_eq":1}}', ',')}]}`)}}`,
  }),
  (count) => ({ query: `{ note { ${nested(Math.min(count, 190), 'up { ', 'id ')} } }` }),
  (count) => ({
    query: `{ note { ${nested(
      Math.min(count, 190),
      'children { ',
      times(count, (index) => `a${index}: id`),
    )} } }`,
  }),
  (count) => ({
    query: `{ note_aggregate { aggregate { ${times(count, (index) => `a${index}: max { id }`)} } nodes { id } } }`,
  }),
  (count) => ({ query: `{ __schema { ${times(count, () => 'queryType { name }')} } }` }),
  (count) => ({ query: `{ ${times(count, (index) => `a${index}: __type(name: "note") { name }`)} }` }),
  (count) => ({
    query: `{ ${times(count, (index) => `a${index}: __schema { ...F }`)} } fragment F on __Schema { ${times(count, (index) => `b${index}: queryType { name }`)} }`,
  }),
];

export function multiplied(random: Random): Multiplied {
  return random.pick(SHAPES)(random.pick([3, 30, 100, 300, ...(random.chance(0.2) ? [1000] : [])]));
}
