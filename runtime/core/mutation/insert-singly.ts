/**
 * Inserts object by object: the rows that an object refers to, its own row, then the rows that refer to it. This defines the
 * result of an insert with nested data; batches are a faster way to the same result.
 */
import type { Path } from '../errors.ts';
import type { Column } from '../program/program.ts';
import { createScope, type Scope } from '../query/scope.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { identifier, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { insertInto } from '../sql/statement.ts';
import { type Conflict, checkOfInsert, conflictClause, noteOfRow, notesChanges } from './conflict.ts';
import { hasNested, type InsertObject, type NestedInsert, type RowValues } from './insert-objects.ts';
import { type FixedColumns, insertedRows, type RowsBeside, slices, uniformSets } from './insert-rows.ts';
import { keep, keepCount, keepRows, kept, ofWritten, orFail, rowColumn } from './kept.ts';
import type { WriteStatement } from './step.ts';
import { rowStatement, rowsStatement, type Write } from './written.ts';

/** The rows as one statement can take them. */
export function statementSets<Row extends RowValues>(
  visible: VisibleTable,
  rows: readonly Row[],
  conflict: Conflict | undefined,
): (readonly Row[])[] {
  return notesChanges(visible, conflict) ? uniformSets(visible, rows) : slices(visible, rows);
}

/** One statement that inserts rows: once, or once for each of other rows. */
export function flatWrite(
  visible: VisibleTable,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: Path,
  fixed: FixedColumns,
  scope: Scope,
  each?: RowsBeside,
): Write {
  const alias = scope.alias(visible.table.shape.name);
  const condition = notesChanges(visible, conflict) ? noteOfRow : undefined;
  return {
    statement: insertInto({
      table: visible.table.sql,
      alias,
      ...insertedRows(visible, rows, fixed, { each, condition }),
      conflict: conflictClause(conflict, visible, alias, scope),
    }),
    alias,
    check: checkOfInsert(visible, conflict, alias),
    path,
    visible,
  };
}

/** Values to keep for later statements: the number of rows including nested ones, and the rows without them. */
interface Asked {
  readonly count: boolean;
  readonly rows: boolean;
}

/**
 * The statements that insert objects.
 * @returns and how many of them keep rows
 */
export function planObjects(
  visible: VisibleTable,
  objects: readonly InsertObject[],
  conflict: Conflict | undefined,
  path: Path,
  asked: Asked,
  scope: Scope,
): { readonly statements: readonly WriteStatement[]; readonly keeping: number } {
  const keeping = objects.some(hasNested) ? objects.length : statementSets(visible, objects, conflict).length;
  const plan = new Plan(asked, keeping, scope);
  plan.addSet(objects, { visible, conflict, path, fixed: {}, isFirst: true });
  return { statements: plan.statements, keeping };
}

/** Where rows go. */
interface Place {
  readonly visible: VisibleTable;
  readonly conflict: Conflict | undefined;
  readonly path: Path;
  readonly fixed: FixedColumns;
  /** They are nested in no others. */
  readonly isFirst: boolean;
}

/** Columns of a row that were kept, as values for the rows that take them over. */
type KeptColumns = (column: Column) => Sql;

class Plan {
  readonly statements: WriteStatement[] = [];
  readonly #asked: Asked;
  /** Statements that keep rows. */
  readonly #keeping: number;
  readonly #scope: Scope;
  #hasCount = false;
  /** How many of them are there already. */
  #kept = 0;
  /** Rows whose columns are kept at the same time. */
  #rows = 0;

  constructor(asked: Asked, keeping: number, scope: Scope) {
    this.#asked = asked;
    this.#keeping = keeping;
    this.#scope = scope;
  }

  addSet(objects: readonly InsertObject[], place: Place): void {
    if (!objects.some(hasNested)) {
      for (const rows of statementSets(place.visible, objects, place.conflict)) this.#add(rows, place);
      return;
    }
    for (const object of objects) {
      const before = this.#rows;
      this.#addObject(object, place);
      this.#rows = before;
    }
  }

  /**
   * One object with what hangs on it.
   * @param parentOf it comes before a row that takes over its key
   */
  #addObject(object: InsertObject, place: Place, parentOf?: NestedInsert): KeptColumns {
    this.#rows += 1;
    const row = this.#rows;
    const own: Record<string, FixedColumns[string]> = { ...place.fixed };
    for (const nested of object.before) {
      const { relationship, objects } = nested;
      const parent = this.#addObject(objects[0]!, placeOf(nested, {}), nested);
      for (const [column, target] of relationship.columns)
        own[column.name] = sql`${parent(target)}::${raw(column.type.sql)}`;
    }
    const needed = new Set(
      object.after.flatMap(({ relationship }) => relationship.columns.map(([own]) => own)),
    );
    for (const [, target] of parentOf?.relationship.columns ?? []) needed.add(target);
    const columns = [...needed];
    const name = `row_${row}`;
    const texts = columns.map((column) => sql`${identifier(column.name)}::text`);
    const array = ofWritten(sql`array[${join(texts, ', ')}]::text`);
    const keys = columns.length > 0 ? [keep(name, orFail(array))] : [];
    this.#add([object], { ...place, fixed: own }, keys, noRowOf(place.visible, object, parentOf));
    this.#rows = row;
    const keptColumns: KeptColumns = (column) =>
      sql`(${kept(name)}::text[])[${raw(String(columns.indexOf(column) + 1))}]`;
    for (const nested of object.after) {
      const child: Record<string, Sql> = {};
      for (const [column, target] of nested.relationship.columns)
        child[target.name] = sql`${keptColumns(column)}::${raw(target.type.sql)}`;
      this.addSet(nested.objects, placeOf(nested, child));
    }
    return keptColumns;
  }

  /** A statement that inserts rows, and keeps what there is to keep of them. */
  #add(
    rows: readonly RowValues[],
    { visible, conflict, path, fixed, isFirst }: Place,
    keys: readonly Sql[] = [],
    noRow?: WriteStatement['noRow'],
  ): void {
    const columns = [...keys];
    if (this.#asked.count) columns.push(keepCount(!this.#hasCount));
    this.#hasCount = true;
    const rowTexts = isFirst && this.#asked.rows ? rowColumn(visible.table) : undefined;
    if (rowTexts) {
      columns.push(keepRows(visible.table, this.#kept, this.#keeping));
      this.#kept += 1;
    }
    // Objects of one form have one text, whose aliases are those of a statement by itself.
    const write = flatWrite(visible, rows, conflict, path, fixed, ownScope(this.#scope));
    const isPlain = columns.length === 0 && rows.length === 1;
    const statement = isPlain
      ? rowStatement(write, [])
      : rowsStatement(write, columns.length > 0 ? columns : [raw('true')], rowTexts);
    this.statements.push({ statement, path, ...(noRow && { noRow }) });
  }
}

function placeOf({ visible, conflict, dataPath }: NestedInsert, fixed: FixedColumns): Place {
  return { visible, conflict, path: dataPath, fixed, isFirst: false };
}

/** Starts the aliases of a separate statement. */
export function ownScope({ roleSchema, options }: Scope): Scope {
  return createScope(roleSchema, options);
}

/** The error if a conflict skips the row. */
function noRowOf(
  { table }: VisibleTable,
  { after, path }: InsertObject,
  parentOf: NestedInsert | undefined,
): WriteStatement['noRow'] {
  const { name } = table.shape;
  if (after.length > 0) {
    const message = `cannot proceed to insert array relations since insert to table "${name}" affects zero rows`;
    return { message, path };
  }
  if (!parentOf) return undefined;
  const message = `cannot proceed to insert object relation "${parentOf.relationship.name}" since insert to table "${name}" affects zero rows`;
  return { message, path: parentOf.path };
}
