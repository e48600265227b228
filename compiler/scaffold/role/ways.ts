/**
 * Ways from tables along their foreign keys to the row that says whose a row is: the owner's, the tenant's. The shortest way counts;
 * of several of one length a person has to choose.
 */
import type { CatalogForeignKey, CatalogTable } from '../../../runtime/catalog/catalog.ts';
import type { TableShape } from '../../../runtime/core/contract/shapes.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';

/** The row that a session is tied to: `public.users.id=X-Engine-User-Id`. */
export interface Anchor {
  readonly kind: 'owner' | 'tenant';
  /** Key of the table. */
  readonly table: string;
  readonly column: string;
  /** As it is written. */
  readonly variable: string;
}

/** A table that is served: its catalog, and what the metadata made of it. */
export interface ServedTable {
  readonly key: string;
  readonly catalog: CatalogTable;
  readonly shape: TableShape;
}

export interface JoinStep {
  readonly key: CatalogForeignKey;
  /** Keys of the tables that the foreign key is on, and refers to. */
  readonly from: string;
  readonly to: string;
  /** Object relationship that follows it; absent where the metadata has none. */
  readonly relationship?: string;
}

export type JoinWay =
  | { readonly kind: 'found'; readonly steps: readonly JoinStep[] }
  /** Several are equally short, each with its first steps. */
  | { readonly kind: 'ambiguous'; readonly choices: readonly (readonly JoinStep[])[] }
  /** The way of a table that it leads through has to be chosen first. */
  | { readonly kind: 'blocked'; readonly by: string }
  /** The metadata has no relationship for a foreign key that it would follow. */
  | { readonly kind: 'unnamed'; readonly step: JoinStep }
  | { readonly kind: 'none' };

/** A path that was asked for leads nowhere; the message says why. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

/**
 * The ways of all tables to an anchor.
 * @param closed key of a table through which no way leads on: that of the other anchor
 * @param chosen first steps that a person chose, by key of the table: constraints
 * @throws PathError
 */
export function findWays(
  tables: ReadonlyMap<string, ServedTable>,
  anchor: Anchor,
  closed: string | undefined,
  chosen: ReadonlyMap<string, readonly JoinStep[]>,
): ReadonlyMap<string, JoinWay> {
  const steps = new Map([...tables.values()].map((table) => [table.key, joinStepsOf(table, tables)]));
  const lengths = shortestLengths(steps, anchor, closed);
  const ways = new Map<string, JoinWay>();
  const decide = (table: string, within: readonly string[]): JoinWay => {
    const known = ways.get(table);
    if (known) return known;
    if (within.includes(table))
      throw new PathError(`The chosen paths lead in a circle: ${[...within, table].join(', ')}.`);
    const way = table === anchor.table ? FOUND : follow(table, [...within, table]);
    ways.set(table, way);
    return way;
  };
  const follow = (table: string, within: readonly string[]): JoinWay => {
    const given = chosen.get(table);
    if (given) return extend(given, within);
    const length = lengths.get(table);
    if (length === undefined) return { kind: 'none' };
    const first = steps
      .get(table)!
      .filter(({ to }) => to !== table && lengths.get(to) === length - 1 && to !== closed);
    if (first.length === 1) return extend(first, within);
    return {
      kind: 'ambiguous',
      choices: first.map((step) => {
        const rest = decide(step.to, within);
        return [step, ...(rest.kind === 'found' ? rest.steps : [])];
      }),
    };
  };
  /** Goes on from the last step by the way of the table that it leads to. */
  const extend = (given: readonly JoinStep[], within: readonly string[]): JoinWay => {
    const last = given.at(-1)!;
    const rest = last.to === anchor.table ? FOUND : decide(last.to, within);
    if (rest.kind === 'ambiguous') return { kind: 'blocked', by: last.to };
    if (rest.kind !== 'found') return rest;
    const all = [...given, ...rest.steps];
    const unnamed = all.find(
      (step, index) =>
        step.relationship === undefined &&
        !(index === all.length - 1 && directColumn(step, anchor) !== undefined),
    );
    return unnamed ? { kind: 'unnamed', step: unnamed } : { kind: 'found', steps: all };
  };
  for (const table of tables.keys()) decide(table, []);
  return ways;
}

const FOUND: JoinWay & { kind: 'found' } = { kind: 'found', steps: [] };

/** The foreign keys of a table that lead to tables that are served. Of several by one relationship there is one. */
export function joinStepsOf(
  { key: from, catalog, shape }: ServedTable,
  tables: ReadonlyMap<string, ServedTable>,
): JoinStep[] {
  const seen = new Set<string>();
  return catalog.foreignKeys.flatMap((key): JoinStep[] => {
    const to = keyOf(key.references);
    const pairs = key.columns.map((column, index) => [column, key.references.columns[index]!] as const);
    const id = JSON.stringify([to, pairs.toSorted()]);
    if (!tables.has(to) || seen.has(id)) return [];
    seen.add(id);
    const relationship = Object.entries(shape.relationships ?? {}).find(
      ([, { kind, target, columns, insertAfter }]) =>
        kind === 'object' &&
        !insertAfter &&
        target === to &&
        Object.keys(columns).length === pairs.length &&
        pairs.every(([own, other]) => columns[own] === other),
    );
    return [{ key, from, to, ...(relationship && { relationship: relationship[0] }) }];
  });
}

/** Number of steps to the anchor, by table. */
function shortestLengths(
  steps: ReadonlyMap<string, readonly JoinStep[]>,
  anchor: Anchor,
  closed: string | undefined,
): ReadonlyMap<string, number> {
  const lengths = new Map([[anchor.table, 0]]);
  for (let length = 1, reached = [anchor.table]; reached.length > 0; length += 1) {
    // No way leads on through the closed table; it has one itself.
    const targets = new Set(reached.filter((table) => table !== closed));
    reached = [];
    for (const [table, from] of steps)
      if (!lengths.has(table) && from.some(({ to }) => targets.has(to))) {
        lengths.set(table, length);
        reached.push(table);
      }
  }
  return lengths;
}

/** The column of a foreign key that holds the anchor's value itself. */
function directColumn({ key, to }: JoinStep, { table, column }: Anchor): string | undefined {
  const position = key.references.columns.indexOf(column);
  return to === table && position >= 0 ? key.columns[position] : undefined;
}

/** The column of a table with such a way that holds the anchor's value itself. */
export function ownColumn(steps: readonly JoinStep[], anchor: Anchor): string | undefined {
  if (steps.length === 0) return anchor.column;
  return steps.length === 1 ? directColumn(steps[0]!, anchor) : undefined;
}

/** The rule that a way means, in the form of the metadata. */
export function ruleOfWay(steps: readonly JoinStep[], anchor: Anchor): JsonObject {
  const [first, ...rest] = steps;
  const column = ownColumn(steps, anchor);
  if (column !== undefined) return { [column]: { _eq: anchor.variable } };
  return { [first!.relationship!]: ruleOfWay(rest, anchor) };
}

/** Both rules, each relationship once: it leads to one row. */
export function bothRules(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const known = merged[key];
    merged[key] = known === undefined ? value : bothRules(known as JsonObject, value as JsonObject);
  }
  return merged;
}

/** `order_id → orders.user_id → users.id = X-Engine-User-Id` */
export function wayWords(steps: readonly JoinStep[], anchor: Anchor): string {
  const columns = steps.map(({ key }) => key.columns.join(', '));
  const [first, ...rest] = columns;
  const tables = steps.map(({ to }) => to);
  if (first === undefined) return `${anchor.column} = ${anchor.variable}`;
  const places = [first, ...rest.map((column, index) => `${tables[index]}.${column}`)];
  return [...places, `${anchor.table}.${anchor.column} = ${anchor.variable}`].join(' → ');
}
