/** Random requests about what sessions share: kept answers, plans, saved operations, cursors, joins, functions of the session. */
import type { Random } from '../random.ts';
import { randomHostileRequest } from './random-request.ts';
import { UPSERTED, type World } from './world.ts';

export interface SessionRead {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A query of any kind. */
export function randomRead(random: Random, world: World): SessionRead {
  if (random.chance(0.4)) return hostileRead(random, world);
  const text = () => random.pick(['secret%', 'mine by 1 one', '%by 1%', 'secret one', 'bolt', '%', 's%']);
  const id = () => random.between(0, 9);
  const seen = () => `seen: {${random.pick(['_eq', '_like', '_neq', '_ilike'])}: $text}`;
  const label = () => `label: {${random.pick(['_eq', '_like', '_gt'])}: $text}`;
  const owned = () => random.pick(['', `, where: {id: {_gt: $lowest}}`]);
  const part = () => `id label item_id ${random.chance(0.4) ? 'item {id title seen team {id name}}' : ''}`;
  const parts = () =>
    random.pick([
      () => `parts(order_by: {id: asc}${owned()}) {${part()}}`,
      () => `parts(order_by: {id: asc}, where: {${label()}}) {id label}`,
      () => 'parts_aggregate {aggregate {count max {label}}}',
    ])();
  const item = () => ['id', ...random.some(['title', 'seen', 'team {id name}', parts()], 0.5)].join(' ');
  const field = random.pick([
    () => `my_items(args: {lowest: $lowest}, order_by: {id: asc}) {${item()}}`,
    () => `my_items(args: {lowest: $lowest}, where: {${seen()}}, order_by: {id: asc}) {id title}`,
    () => `my_items_aggregate(args: {lowest: $lowest}) {aggregate {count max {title}}}`,
    () => `far_my_parts(args: {lowest: $lowest}, order_by: {id: asc}) {${part()}}`,
    () => `item(where: {${seen()}}, order_by: {id: asc}) {${item()}}`,
    () => `item(order_by: [{seen: asc}, {id: asc}]${owned()}) {${item()}}`,
    () =>
      `team(order_by: {id: asc}${owned()}) {id mine(order_by: {id: asc}) {id title} items(order_by: {id: asc}) {${item()}}}`,
    () => `item_by_pk(id: $lowest) {${item()}}`,
    () => `far_part(order_by: {id: asc}${owned()}) {${part()}}`,
    () => `far_part(order_by: {id: asc}, where: {${label()}}) {${part()}}`,
    () => `far_part_aggregate(where: {${label()}}) {aggregate {count max {label}} nodes {item {title}}}`,
  ])();
  const declared = [
    ...(field.includes('$lowest') ? ['$lowest: Int!'] : []),
    ...(field.includes('$text') ? ['$text: String!'] : []),
  ];
  const header = declared.length > 0 ? `(${declared.join(', ')})` : '';
  return {
    query: `query ${header} {${field}}`,
    variables: {
      ...(field.includes('$lowest') && { lowest: id() }),
      ...(field.includes('$text') && { text: text() }),
    },
  };
}

/** Functions that are not IMMUTABLE, native queries, and what another source answers. */
const NOT_KEPT =
  /\b(parts\w*|mine|my_items\w*|far_my_parts|loud|number|entries\w*|found_items|own_items)\b|far_part.*\bitem \{/;

/** A query whose answer may be kept. */
export function randomKeptRead(random: Random, world: World): SessionRead {
  for (;;) {
    const read = randomRead(random, world);
    if (!NOT_KEPT.test(read.query)) return read;
  }
}

/** A query of the other campaign, with conditions that fail or nearly match. */
function hostileRead(random: Random, world: World): SessionRead {
  for (;;) {
    const { isLive, writes, relay, query, variables } = randomHostileRequest(random, world);
    if (!isLive && !writes && !relay) return { query, variables };
  }
}

const ORDERS = {
  team: ['name: asc', 'weight: desc', 'owner: asc'],
  item: ['title: desc', 'seen: asc', 'amount: asc', 'body: asc', 'team: {name: asc}', 'open: desc'],
  note: ['title: asc', 'item: {title: desc}', 'owner: desc', 'weight: asc'],
} as const;

export interface Pages {
  /** The page that begins, or ends, behind a cursor; without one the first or the last. */
  readonly page: (cursor: string | undefined) => SessionRead;
  /** The object that an id of the Relay API names. */
  readonly node: (id: string) => SessionRead;
}

/** Pages of one table in one order, from whichever end. */
export function randomPages(random: Random, world: World): Pages {
  const table = random.pick(world.roots);
  const order = [...random.some<string>(ORDERS[table], 0.4), 'id: asc'].map((key) => `{${key}}`).join(', ');
  const [size, side] = random.pick([
    ['first', 'after'],
    ['last', 'before'],
  ] as const);
  const where = random.pick(['', '', 'where: {owner: {_gte: 0}}, ', 'where: {open: {_eq: false}}, ']);
  const count = random.between(1, 4);
  const shown = `id ${table === 'team' ? 'name' : 'title'}`;
  const info = 'pageInfo {hasNextPage hasPreviousPage startCursor endCursor}';
  return {
    page: (cursor) => ({
      query: `query ($cursor: String) {${table}_connection(${where}${size}: ${count}, order_by: [${order}], ${side}: $cursor) {${info} edges {cursor node {${shown}}}}}`,
      variables: { cursor: cursor ?? null },
    }),
    node: (id) => ({
      query: `query ($id: ID!) {node(id: $id) {id ... on ${table} {${shown}}}}`,
      variables: { id },
    }),
  };
}

/** An insert with related rows, some of which are in the way of hidden ones. */
export function randomNestedInsert(random: Random): SessionRead {
  const text = () => random.pick(['mine', 'alpha', 'beta%']);
  const existing = () => random.between(1, UPSERTED);
  const id = () => (random.chance(0.7) ? existing() : random.between(901, 999));
  const hidden = (column: string) =>
    random.pick([
      `${column}: {_eq: "secret one"}`,
      `${column}: {_like: "secret%"}`,
      `${column}: {_neq: "mine"}`,
      'id: {_gt: 0}',
    ]);
  const owned = () => `owner: ${random.between(1, 2)}, open: ${random.chance(0.3)}`;
  const onConflict = (table: string, column: string) =>
    random.chance(0.85)
      ? `, on_conflict: {constraint: ${table}_pkey, update_columns: [${column}], where: {${hidden(column)}}}`
      : '';
  const team = () =>
    `team: {data: {id: ${id()}, ${owned()}, name: "${text()}"}${onConflict('team', 'name')}}`;
  const item = () => `id: ${id()}, ${owned()}, title: "${text()}"`;
  const note = () => `{id: ${id()}, ${owned()}, title: "${text()}"}`;
  const notes = () =>
    `notes: {data: [${random.list(random.between(1, 2), note).join(', ')}]${onConflict('note', 'title')}}`;
  const ofNote = () =>
    `item: {data: {${item()}${random.chance(0.4) ? `, ${team()}` : ''}}${onConflict('item', 'title')}}`;
  const own = () => `id: ${random.between(901, 999)}, ${owned()}, title: "${text()}"`;
  const field = random.pick([
    () =>
      `insert_item(objects: [{${own()}, ${notes()}}]) {affected_rows returning {id title notes(order_by: {id: asc}) {id title}}}`,
    () =>
      `insert_item(objects: [{${own()}, ${team()}, ${notes()}}]) {affected_rows returning {id seen team {id name}}}`,
    () =>
      `insert_note(objects: [{${own()}, ${ofNote()}}]) {affected_rows returning {id title item {id title seen}}}`,
    () => `insert_note_one(object: {${own()}, ${ofNote()}}) {id item {id title team {id name}}}`,
  ])();
  return { query: `mutation {${field}}`, variables: {} };
}
