/**
 * Inserts with nested data one level at a time: all parents in one statement, then all their children in one. Only if
 * the result is the same as object by object, for any content of the database:
 *
 * - no `on_conflict`: a skipped row has no key to hang children on, and a row may be met twice;
 * - at each level either every row has an object to insert before it, or none has;
 * - no row finds a different state of the database by being inserted earlier or later (see insert-apart.ts).
 *
 * Whatever goes wrong, fewer rows than sent among it, the objects are then inserted one by one in a new transaction, which
 * says which one it was.
 */
import type { Path } from '../errors.ts';
import type { Column, Relationship, Table } from '../program/program.ts';
import type { Scope } from '../query/scope.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { builtIn, COUNT, identifier, parameter, raw, type Sql, sql, unnested } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';
import { nested, selectStatement } from '../sql/statement.ts';
import { type InsertPlace, mayBeBatched, type Parent } from './insert-apart.ts';
import { hasNested, type InsertObject, type NestedInsert } from './insert-objects.ts';
import { type ColumnList, slices, takesItems } from './insert-rows.ts';
import { flatWrite, ownScope } from './insert-singly.ts';
import { keep, keepParts, keepRows, kept, keptItem, ofWritten, orFail, rowColumn } from './kept.ts';
import type { WriteStatement } from './step.ts';
import { rowsStatement } from './written.ts';

/** All rows of one place in the tree of objects. */
interface Level {
  readonly visible: VisibleTable;
  readonly objects: readonly InsertObject[];
  /** One row for each of this level's. */
  readonly before: readonly Neighbour[];
  /** Any number of rows for each of this level's. */
  readonly after: readonly Neighbour[];
}

interface Neighbour {
  readonly relationship: Relationship;
  readonly level: Level;
  /** For each row beside it, the number of its own that hang on that one. */
  readonly counts: readonly number[];
}

/**
 * Gathers the levels of objects; undefined where they have to be inserted one by one, or that takes no more statements.
 * @param tables every table that is served
 */
export function gatherLevels(
  visible: VisibleTable,
  objects: readonly InsertObject[],
  tables: readonly Table[],
): Level | undefined {
  const level = gather(visible, objects);
  if (!level) return undefined;
  const places = placesOf(level, []);
  const saves = statementsSingly(objects) > places.length;
  const fits = places.every((place) => slices(place.visible, place.objects).length === 1);
  return saves && fits && mayBeBatched(places, tables) ? level : undefined;
}

/** Object by object, rows side by side that nothing hangs on are one statement. */
function statementsSingly(objects: readonly InsertObject[]): number {
  if (!objects.some(hasNested)) return 1;
  let statements = objects.length;
  for (const { before, after } of objects)
    for (const nested of [...before, ...after]) statements += statementsSingly(nested.objects);
  return statements;
}

function gather(visible: VisibleTable, objects: readonly InsertObject[]): Level | undefined {
  const before = neighbours(objects, (object) => object.before);
  const after = neighbours(objects, (object) => object.after);
  if (!before || !after || before.some(({ counts }) => counts.includes(0))) return undefined;
  return { visible, objects, before, after };
}

function neighbours(
  objects: readonly InsertObject[],
  of: (object: InsertObject) => readonly NestedInsert[],
): Neighbour[] | undefined {
  const found = new Map<Relationship, { visible: VisibleTable; objects: InsertObject[]; counts: number[] }>();
  for (const [position, object] of objects.entries()) {
    for (const { relationship, visible, conflict, objects: inner } of of(object)) {
      if (conflict) return undefined;
      const known = found.get(relationship) ?? { visible, objects: [], counts: objects.map(() => 0) };
      found.set(relationship, known);
      for (const each of inner) known.objects.push(each);
      known.counts[position] = inner.length;
    }
  }
  const result: Neighbour[] = [];
  for (const [relationship, { visible, objects: inner, counts }] of found) {
    const level = gather(visible, inner);
    if (!level) return undefined;
    result.push({ relationship, level, counts });
  }
  return result;
}

/** The level's own place first. */
function placesOf({ visible, objects, before, after }: Level, above: readonly Parent[]): InsertPlace[] {
  const first = before.map(({ relationship, level }) => ({
    places: placesOf(level, []),
    pairs: relationship.columns,
  }));
  const parents = [...above, ...first.map(({ places, pairs }) => ({ place: places[0]!, pairs }))];
  const place: InsertPlace = { visible, objects, parents };
  const then = after.flatMap(({ relationship, level }) => {
    const pairs = relationship.columns.map(([own, theirs]) => [theirs, own] as const);
    return placesOf(level, [{ place, pairs }]);
  });
  return [place, ...first.flatMap(({ places }) => places), ...then];
}

/**
 * The statements that insert the levels.
 * @param keeps they keep the rows of the first one
 * @returns and the number of rows
 */
export function planLevels(
  level: Level,
  path: Path,
  keeps: boolean,
  scope: Scope,
): { readonly statements: readonly WriteStatement[]; readonly count: number } {
  const statements: WriteStatement[] = [];
  let count = 0;
  let columnsKept = 0;
  addLevel(level, [], [], true);
  return { statements, count };

  /** @returns the `wanted` columns of its rows, and of those that children want */
  function addLevel(
    { visible, objects, before, after }: Level,
    given: readonly KeptColumn[],
    wanted: readonly Column[],
    isFirst: boolean,
  ): ReadonlyMap<Column, string> {
    const fixed: Record<string, KeptColumn> = {};
    for (const list of given) fixed[list.column.name] = list;
    for (const { relationship, level: parents } of before) {
      const targets = relationship.columns.map(([, target]) => target);
      const names = addLevel(parents, [], targets, false);
      for (const [column, target] of relationship.columns)
        fixed[column.name] = keptColumn(column, names.get(target)!, objects.length);
    }
    if (takesItems(visible, objects)) {
      for (const { parts } of Object.values(fixed)) if (parts) statements.push({ statement: parts, path });
    }
    const columns = new Map<Column, string>();
    const children = after.flatMap(({ relationship }) => relationship.columns.map(([own]) => own));
    for (const column of [...wanted, ...children])
      if (!columns.has(column)) columns.set(column, `column_${++columnsKept}`);
    count += objects.length;
    // Where a row is missing, the others would be taken for it.
    const all = parameter({ from: 'constant', value: objects.length }, 'bigint');
    const ifAll = (text: Sql) => orFail(ofWritten(sql`case ${COUNT} when ${all} then ${text} end`));
    const keys = [...columns].map(([column, name]) =>
      keep(name, ifAll(sql`${builtIn('array_agg', sql`${identifier(column.name)}::text`)}::text`)),
    );
    const keepsRows = isFirst && keeps;
    const kept = [
      ...(keys.length > 0 ? keys : [ifAll(raw(`''`))]),
      ...(keepsRows ? [keepRows(visible.table)] : []),
    ];
    const write = flatWrite(visible, objects, undefined, path, fixed, ownScope(scope));
    statements.push({
      statement: rowsStatement(write, kept, keepsRows ? rowColumn(visible.table) : undefined),
      path,
    });
    for (const { relationship, level: child, counts } of after) {
      const lists = relationship.columns.map(([own, target]) =>
        keptColumn(target, columns.get(own)!, objects.length, counts),
      );
      addLevel(child, lists, [], false);
    }
    return columns;
  }
}

interface KeptColumn extends ColumnList {
  /** To be run before items are taken. */
  readonly parts: Statement | undefined;
}

/** A column whose values were kept, so many: one for each row, or each as many times as `counts` says. */
function keptColumn(column: Column, name: string, length: number, counts?: readonly number[]): KeptColumn {
  const keys = sql`${kept(name)}::text[]`;
  const parts = keepParts(name, length);
  const item = (index: number) => keptItem(name, index, length);
  if (!counts) return { column, list: keys, item, parts };
  const numbers = parameter({ from: 'constant', value: `{${counts.join(',')}}` }, 'integer[]');
  const repeated = selectStatement({
    columns: identifier('each', 'key'),
    from: [
      {
        rows: sql`${unnested([keys, numbers])} with ordinality`,
        alias: identifier('each'),
        columns: ['key', 'count', 'position'].map((each) => identifier(each)),
      },
      { join: ',', rows: builtIn('generate_series', raw('1'), identifier('each', 'count')) },
    ],
    order: [identifier('each', 'position')],
  });
  const positions = counts.flatMap((count, position) => Array<number>(count).fill(position));
  return {
    column,
    parts,
    list: sql`array${nested(repeated)}`,
    item: (index) => item(positions[index]!),
  };
}
