/**
 * Inserts with nested data one level at a time: all parents in one statement, then all their children in one. Only where
 * that comes to the same as object by object, whatever is in the database:
 *
 * - no `on_conflict`: a skipped row has no key to hang children on, and a row may be met twice;
 * - at each level either every row has an object to insert before it, or none has;
 * - no row finds anything else in the database for its coming sooner or later (see insert-apart.ts).
 *
 * It runs behind a savepoint. Whatever goes wrong, fewer rows than sent among it, the objects are then inserted one by one,
 * which says which one it was.
 */
import type { Column, Relationship, Table } from '../program.ts';
import type { Scope } from '../query/scope.ts';
import { fixedType } from '../schema/shared-types.ts';
import type { TableView } from '../schema/table-view.ts';
import { identifier, join, parameter, type Sql, sql } from '../sql/fragment.ts';
import { encodeList } from '../types.ts';
import { mayBeBatched, type Parent, type Place } from './insert-apart.ts';
import { hasNested, type InsertObject, type NestedInsert } from './insert-objects.ts';
import { type FixedColumns, slices } from './insert-rows.ts';
import { flatWrite, type Inserted } from './insert-singly.ts';
import type { MutationExecution, Results } from './step.ts';
import { JSON_OF_WRITTEN, rowsStatement, WRITTEN } from './written.ts';

/** Fewer rows came back than were sent. */
export class RowsMissing extends Error {}

/** All rows of one place in the tree of objects. */
interface Level {
  readonly view: TableView;
  readonly objects: readonly InsertObject[];
  /** One row for each of this level's. */
  readonly before: readonly Neighbour[];
  /** Any number of rows for each of this level's. */
  readonly after: readonly Neighbour[];
}

interface Neighbour {
  readonly relationship: Relationship;
  readonly level: Level;
  /** For each row of the child level, the position of its parent. */
  readonly parents: readonly number[];
}

/**
 * Gathers the levels of objects; undefined where they have to be inserted one by one, or that takes no more statements.
 * @param tables every table that is served
 */
export function gatherLevels(
  view: TableView,
  objects: readonly InsertObject[],
  tables: readonly Table[],
): Level | undefined {
  const level = gather(view, objects);
  if (!level) return undefined;
  const places = placesOf(level, []);
  const saves = statementsSingly(objects) > places.length;
  const fits = places.every((place) => slices(place.view, place.objects).length === 1);
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

function gather(view: TableView, objects: readonly InsertObject[]): Level | undefined {
  const before = neighbours(objects, (object) => object.before);
  const after = neighbours(objects, (object) => object.after);
  if (!before || !after || before.some(({ parents }) => parents.length !== objects.length)) return undefined;
  return { view, objects, before, after };
}

function neighbours(
  objects: readonly InsertObject[],
  of: (object: InsertObject) => readonly NestedInsert[],
): Neighbour[] | undefined {
  const found = new Map<Relationship, { view: TableView; objects: InsertObject[]; parents: number[] }>();
  for (const [position, object] of objects.entries()) {
    for (const { relationship, view, conflict, objects: inner } of of(object)) {
      if (conflict) return undefined;
      const known = found.get(relationship) ?? { view, objects: [], parents: [] };
      found.set(relationship, known);
      for (const each of inner) {
        known.objects.push(each);
        known.parents.push(position);
      }
    }
  }
  const result: Neighbour[] = [];
  for (const [relationship, { view, objects: inner, parents }] of found) {
    const level = gather(view, inner);
    if (!level) return undefined;
    result.push({ relationship, level, parents });
  }
  return result;
}

/** The level's own place first. */
function placesOf({ view, objects, before, after }: Level, above: readonly Parent[]): Place[] {
  const first = before.map(({ relationship, level }) => ({
    places: placesOf(level, []),
    pairs: relationship.columns,
  }));
  const parents = [...above, ...first.map(({ places, pairs }) => ({ place: places[0]!, pairs }))];
  const place: Place = { view, objects, parents };
  const then = after.flatMap(({ relationship, level }) => {
    const pairs = relationship.columns.map(([own, theirs]) => [theirs, own] as const);
    return placesOf(level, [{ place, pairs }]);
  });
  return [place, ...first.flatMap(({ places }) => places), ...then];
}

/** Inserts the levels; the rows that it yields are the first one's. */
export function planLevels(
  level: Level,
  path: string,
  scope: Scope,
): (execution: MutationExecution) => Promise<Inserted> {
  const run = planLevel(level, { wanted: [], given: [], isFirst: true }, path, scope);
  return async (execution) => {
    const { affected, rows } = await run(execution, new Map());
    return { affected, rows: [rows] };
  };
}

/** What a level's neighbours have to do with it. */
interface Surroundings {
  /** Columns that the rows after it take over. */
  readonly wanted: readonly Column[];
  /** Columns that it takes over from the rows before it. */
  readonly given: readonly Column[];
  /** Its rows are asked for as they are. */
  readonly isFirst: boolean;
}

/** Texts of columns, by database name, one for each row of a level. */
type ColumnTexts = ReadonlyMap<string, readonly (string | null)[]>;

interface LevelWritten {
  readonly affected: number;
  readonly rows: string;
  readonly columns: ColumnTexts;
}

function planLevel(
  level: Level,
  place: Surroundings,
  path: string,
  scope: Scope,
): (execution: MutationExecution, given: ColumnTexts) => Promise<LevelWritten> {
  const own = (pairs: Relationship['columns']) => pairs.map(([column]) => column);
  const theirs = (pairs: Relationship['columns']) => pairs.map(([, column]) => column);
  const parents = level.before.map(({ relationship: { columns }, level: parent }) => ({
    columns,
    run: planLevel(parent, { wanted: theirs(columns), given: [], isFirst: false }, path, scope),
  }));
  const children = level.after.map(({ relationship: { columns }, level: child, parents: positions }) => ({
    columns,
    positions,
    run: planLevel(child, { wanted: [], given: theirs(columns), isFirst: false }, path, scope),
  }));
  const wanted = [...new Set([...place.wanted, ...children.flatMap(({ columns }) => own(columns))])];
  const given = [...place.given, ...parents.flatMap(({ columns }) => own(columns))];
  const writeLevel = levelWriter(level, given, wanted, place.isFirst, path, scope);
  return async (execution, fromParent) => {
    let affected = level.objects.length;
    const texts = new Map(fromParent);
    for (const { columns, run } of parents) {
      const parent = await run(execution, new Map());
      affected += parent.affected;
      for (const [column, target] of columns) texts.set(column.name, parent.columns.get(target.name)!);
    }
    const results = [...texts].map(
      ([name, values]) => [name, encodeList(fixedType('text'), values)] as const,
    );
    const [tuples, rows] = await writeLevel(execution, Object.fromEntries(results));
    const written = JSON.parse(tuples!) as readonly (readonly (string | null)[])[];
    if (written.length !== level.objects.length) throw new RowsMissing();
    const columns = new Map(
      wanted.map((column, index) => [column.name, written.map((tuple) => tuple[index]!)]),
    );
    for (const { columns: pairs, positions, run } of children) {
      const child = pairs.map(([column, target]) => {
        const values = columns.get(column.name)!;
        return [target.name, positions.map((position) => values[position]!)] as const;
      });
      affected += (await run(execution, new Map(child))).affected;
    }
    return { affected, rows: rows?.slice(1, -1) ?? '', columns };
  };
}

/** Yields the wanted columns of each row, and of the first level the rows themselves. */
function levelWriter(
  { view, objects }: Level,
  given: readonly Column[],
  wanted: readonly Column[],
  isFirst: boolean,
  path: string,
  scope: Scope,
): (execution: MutationExecution, results: Results) => Promise<readonly (string | null)[]> {
  const fixed: FixedColumns = Object.fromEntries(
    given.map((column): [string, FixedColumns[string]] => [
      column.name,
      { column, list: parameter({ from: 'result', name: column.name }, 'text[]') },
    ]),
  );
  const write = flatWrite(view, objects, undefined, path, fixed, scope);
  const tuple = wanted.map((column): Sql => sql`(${identifier(column.name)})::text`);
  const statement = rowsStatement(write, [
    sql`(select coalesce(json_agg(json_build_array(${join(tuple, ', ')})), '[]') from ${WRITTEN})::text`,
    ...(isFirst ? [JSON_OF_WRITTEN] : []),
  ]);
  return (execution, results) => execution.read(statement, path, results);
}
