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
 * Unreadable conditions prove nothing.
 * @rule When is a nested insert written a table at a time?
 */
import { quoted, tableToken } from '../condition/knowledge.ts';
import { callsFunction } from '../condition/reads.ts';
import { ROW, textOf } from '../condition/tokens.ts';
import { type Condition, conditionsOf, type Exists, type RuleFromItem } from '../condition/tree.ts';
import { EVERY_ROW, provenKeys } from '../contract/shapes.ts';
import type { Column, Table } from '../program/program.ts';
import { lazy } from '../remember.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { RowValues } from './insert-objects.ts';

/** The rows of one place in the tree of objects. */
export interface InsertPlace {
  readonly visible: VisibleTable;
  readonly objects: readonly RowValues[];
  /** The places whose rows come before these, which take over their keys. */
  readonly parents: readonly Parent[];
}

export interface Parent {
  readonly place: InsertPlace;
  /** Own column, the parent's column. */
  readonly pairs: readonly (readonly [own: Column, parents: Column])[];
}

/**
 * Whether a batch of these places has the same result as its objects one by one.
 * @param tables every table that is served
 */
export function mayBeBatched(places: readonly InsertPlace[], tables: readonly Table[]): boolean {
  const batch = new Set(places.map(({ visible }) => visible.table));
  // Sequences would number the rows of a table at two places in another order.
  if (batch.size < places.length) return false;
  return places.every(
    (place) =>
      putsInRowsOnly(place.visible.table) &&
      refersToParents(place, batch) &&
      looksAtParents(place, batch, tables),
  );
}

function putsInRowsOnly({ shape: { kind, sideEffects } }: Table): boolean {
  return (kind === 'table' || kind === 'partitioned') && !sideEffects;
}

function refersToParents(place: InsertPlace, batch: ReadonlySet<Table>): boolean {
  const { visible, objects, parents } = place;
  const keys = new Set(
    [...batch].filter(({ source }) => source === visible.table.source).map(({ key }) => key),
  );
  return foreignKeys(visible.table)
    .filter(({ target }) => keys.has(target))
    .every(({ columns, target }) => {
      const given = (name: string) =>
        parents.some(({ pairs }) => pairs.some(([own]) => own.name === name)) ||
        objects.some(({ values }) => values.has(name));
      const isNull = (name: string) =>
        !isPreset(visible, name) && !given(name) && !visible.table.shape.columns[name]?.hasDefault;
      const isParents = parents.some(
        (parent) =>
          parent.place.visible.table.key === target &&
          columns.every(
            (name) => !isPreset(visible, name) && parent.pairs.some(([own]) => own.name === name),
          ),
      );
      return isParents || columns.some(isNull);
    });
}

/** Foreign keys of the table, and the columns that object relationships follow without one. */
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
function isPreset(visible: VisibleTable, column: string): boolean {
  return Object.hasOwn(visible.insert?.presets ?? {}, column);
}

function looksAtParents(place: InsertPlace, batch: ReadonlySet<Table>, tables: readonly Table[]): boolean {
  const { condition } = place.visible.read(place.visible.insert?.check ?? EVERY_ROW);
  const { source } = place.visible.table;
  // Fast path: most checks name no table, and there may be thousands.
  const named = lazy(
    () =>
      new Map(
        tables.filter((table) => table.source === source).map((table) => [tableToken(table.shape), table]),
      ),
  );
  return finds(condition, new Map([[ROW, place]]));

  /** `known`: aliases of rows of the batch that are there already. */
  function finds(part: Condition, known: ReadonlyMap<string, InsertPlace>): boolean {
    switch (part.kind) {
      case 'leaf':
        return part.tokens !== undefined && !callsFunction(part.tokens);
      case 'not':
        return finds(part.part, known);
      case 'and':
      case 'or':
        return part.parts.every((each) => finds(each, known));
      case 'guarded':
        return finds(part.when, known) && finds(part.part, known);
      case 'exists':
        return findsRows(part, known);
    }
  }

  function findsRows(exists: Exists, known: ReadonlyMap<string, InsertPlace>): boolean {
    const inner = new Map(known);
    const conditions = conditionsOf(exists);
    const said = new Set(
      conditions.map((each) => (each.kind === 'leaf' ? (each.tokens ?? []).join('') : '')),
    );
    const tableNamed = ({ tokens = [] }: RuleFromItem) => named().get(textOf(tokens));
    // A parent of a parent may be named before it.
    for (let found = true; found; ) {
      found = false;
      for (const item of exists.from) {
        if (inner.has(item.alias)) continue;
        const parent = parentNamed(tableNamed(item), item.alias, inner, said);
        if (!parent) continue;
        inner.set(item.alias, parent);
        found = true;
      }
    }
    const apart = exists.from
      .filter(({ alias }) => !inner.has(alias))
      .every((item) => {
        const read = tableNamed(item);
        return read !== undefined && !batch.has(read) && putsInRowsOnly(read);
      });
    return apart && conditions.every((each) => finds(each, inner));
  }

  /** The place of a row that can only be the parent of a known one. */
  function parentNamed(
    table: Table | undefined,
    alias: string,
    known: ReadonlyMap<string, InsertPlace>,
    said: ReadonlySet<string>,
  ): InsertPlace | undefined {
    for (const [child, { visible, parents }] of known) {
      for (const { place: parent, pairs } of parents) {
        if (parent.visible.table !== table || !isKey(table, pairs)) continue;
        const isJoined = pairs.every(([own, other]) => {
          const sides = [`${child}.${quoted(own.name)}`, `${alias}.${quoted(other.name)}`];
          const joined = said.has(sides.join('=')) || said.has(sides.reverse().join('='));
          return joined && !isPreset(visible, own.name);
        });
        if (isJoined) return parent;
      }
    }
    return undefined;
  }
}

/** Rows of the table that are joined to one row by the pairs are one: they cover a key, and are compared by its equality. */
function isKey({ shape }: Table, pairs: Parent['pairs']): boolean {
  const columns = new Set(
    pairs.map(([own, other]) => (own.type.key === other.type.key ? other.name : undefined)),
  );
  return provenKeys(shape).some((key) => key.every((name) => columns.has(name)));
}
