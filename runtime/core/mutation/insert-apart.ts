/**
 * Whether rows of several tables may be inserted one table after the other instead of one object after the other: a proof that
 * every row finds the same in the database either way. It holds for a row
 *
 * - whose table has no triggers or the like, so that its statement does nothing but put in the row, and no views, which
 *   may put rows into a table that is there by itself as well;
 * - whose foreign keys to tables of the batch have their values from the rows that it is nested in, which come first either
 *   way, or none at all: any other value may be a row's that comes later;
 * - whose check looks at nothing in tables of the batch but those same rows. It finds them by a key, so it cannot find
 *   others; and nothing changes them before all are there.
 *
 * What cannot be read counts as no proof.
 */
import type { Column, Table } from '../program.ts';
import { lazy } from '../remember.ts';
import type { TableView } from '../schema/table-view.ts';
import { EVERY_ROW } from '../shapes.ts';
import { ROW, readExists, readTokens, type Tokens } from '../sql/conjunction.ts';
import { identifier } from '../sql/fragment.ts';
import { ruleText } from '../sql/rule.ts';
import type { RowValues } from './insert-objects.ts';

/** The rows of one place in the tree of objects. */
export interface Place {
  readonly view: TableView;
  readonly objects: readonly RowValues[];
  /** The places whose rows come before these, which take over their keys. */
  readonly parents: readonly Parent[];
}

export interface Parent {
  readonly place: Place;
  /** Own column, the parent's column. */
  readonly pairs: readonly (readonly [own: Column, parents: Column])[];
}

/**
 * Whether a batch of these places comes to the same as its objects one by one.
 * @param tables every table that is served
 */
export function mayBeBatched(places: readonly Place[], tables: readonly Table[]): boolean {
  const batch = new Set(places.map(({ view }) => view.table));
  // Sequences would number the rows of a table at two places in another order.
  if (batch.size < places.length) return false;
  return places.every(
    (place) =>
      putsInRowsOnly(place.view.table) &&
      refersToParents(place, batch) &&
      looksAtParents(place, batch, tables),
  );
}

function putsInRowsOnly({ shape: { kind, sideEffects } }: Table): boolean {
  return (kind === 'table' || kind === 'partitioned') && !sideEffects;
}

function refersToParents(place: Place, batch: ReadonlySet<Table>): boolean {
  const { view, objects, parents } = place;
  const keys = new Set([...batch].filter(({ source }) => source === view.table.source).map(({ key }) => key));
  return foreignKeys(view.table)
    .filter(({ target }) => keys.has(target))
    .every(({ columns, target }) => {
      const given = (name: string) =>
        parents.some(({ pairs }) => pairs.some(([own]) => own.name === name)) ||
        objects.some(({ values }) => values.has(name));
      const isNull = (name: string) =>
        !isPreset(view, name) && !given(name) && !view.table.shape.columns[name]?.hasDefault;
      const isParents = parents.some(
        (parent) =>
          parent.place.view.table.key === target &&
          columns.every((name) => !isPreset(view, name) && parent.pairs.some(([own]) => own.name === name)),
      );
      return isParents || columns.some(isNull);
    });
}

/** Of the table, and what object relationships follow without one. */
function foreignKeys({ shape, relationships }: Table): { columns: readonly string[]; target: string }[] {
  const followed = [...relationships.values()].filter(
    ({ shape: { kind, insertAfter } }) => kind === 'object' && !insertAfter,
  );
  return [
    ...(shape.references ?? []),
    ...followed.map(({ columns, target }) => ({
      columns: columns.map(([own]) => own.name),
      target: target.key,
    })),
  ];
}

/** A preset wins over the key of a parent. */
function isPreset(view: TableView, column: string): boolean {
  return Object.hasOwn(view.insert?.presets ?? {}, column);
}

function looksAtParents(place: Place, batch: ReadonlySet<Table>, tables: readonly Table[]): boolean {
  const check = place.view.insert?.check ?? EVERY_ROW;
  const tokens = readTokens(check);
  const callsFunction = tokens?.some((token, index) => token.startsWith('"') && tokens[index + 1] === '(');
  if (!tokens || callsFunction) return false;
  const { source } = place.view.table;
  // Most checks name no table, and there may be thousands.
  const named = lazy(
    () =>
      new Map(tables.filter((table) => table.source === source).map((table) => [ruleText(table.sql), table])),
  );
  return finds(tokens, new Map([[ROW, place]]));

  /** `known`: aliases of rows of the batch that are there already. */
  function finds(condition: Tokens, known: ReadonlyMap<string, Place>): boolean {
    for (let index = 0; index < condition.length; index += 1) {
      if (condition[index] === 'select') return false;
      if (condition[index] !== 'exists') continue;
      const end = closing(condition, index + 1);
      const exists = readExists(condition.slice(index, end + 1));
      if (exists?.kind !== 'exists') return false;
      const inner = new Map(known);
      const said = new Set(exists.conditions.map((tokens) => tokens.join('')));
      // A parent of a parent may be named before it.
      for (let found = true; found; ) {
        found = false;
        for (const { table, alias } of exists.tables) {
          if (inner.has(alias)) continue;
          const parent = parentNamed(named().get(table), alias, inner, said);
          if (!parent) continue;
          inner.set(alias, parent);
          found = true;
        }
      }
      const others = exists.tables.filter(({ alias }) => !inner.has(alias));
      const apart = others.every(({ table }) => {
        const read = named().get(table);
        return read !== undefined && !batch.has(read) && putsInRowsOnly(read);
      });
      if (!apart || !exists.conditions.every((tokens) => finds(tokens, inner))) return false;
      index = end;
    }
    return true;
  }

  /** The place of a row that can only be the parent of a known one. */
  function parentNamed(
    table: Table | undefined,
    alias: string,
    known: ReadonlyMap<string, Place>,
    said: ReadonlySet<string>,
  ): Place | undefined {
    for (const [child, { view, parents }] of known) {
      for (const { place: parent, pairs } of parents) {
        if (parent.view.table !== table || !isKey(table, pairs)) continue;
        const isJoined = pairs.every(([own, other]) => {
          const sides = [`${child}.${quoted(own)}`, `${alias}.${quoted(other)}`];
          const joined = said.has(sides.join('=')) || said.has(sides.reverse().join('='));
          return joined && !isPreset(view, own.name);
        });
        if (isJoined) return parent;
      }
    }
    return undefined;
  }
}

function isKey({ shape: { primaryKey, unique } }: Table, pairs: Parent['pairs']): boolean {
  const columns = new Set(pairs.map(([, other]) => other.name));
  const keys = [...(primaryKey ? [primaryKey.columns] : []), ...Object.values(unique ?? {})];
  return keys.some((key) => key.every((name) => columns.has(name)));
}

function quoted({ name }: Column): string {
  return ruleText(identifier(name));
}

/** Where the parenthesis at `open` ends. */
function closing(tokens: Tokens, open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    if (tokens[index] === '(') depth += 1;
    if (tokens[index] === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}
