/** The objects of an insert, taken apart: columns, what the row refers to, and what refers to the row. */
import { EngineError, type Path } from '../errors.ts';
import type { Column, Relationship } from '../program/program.ts';
import { objectOf } from '../query/comparison.ts';
import type { InputNode } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { type Conflict, conflictOf } from './conflict.ts';

/** The values of one row. */
export interface RowValues {
  readonly path: Path;
  /** Database column → value. */
  readonly values: ReadonlyMap<string, { readonly column: Column; readonly node: InputNode }>;
}

export interface InsertObject extends RowValues {
  /** Object relationships whose key is on this table: their rows are inserted first. */
  readonly before: readonly NestedInsert[];
  /** Rows that refer to this one. */
  readonly after: readonly NestedInsert[];
}

export interface NestedInsert {
  readonly relationship: Relationship;
  readonly visible: VisibleTable;
  readonly conflict: Conflict | undefined;
  /** At least one; for an object relationship exactly one. */
  readonly objects: readonly InsertObject[];
  readonly path: Path;
  /** Where failures of its statement belong. */
  readonly dataPath: Path;
}

/**
 * Reads objects, and checks that no column is determined twice. A relationship that is null or empty is skipped.
 * @throws EngineError validation-failed
 */
export function readObjects(nodes: readonly InputNode[], visible: VisibleTable): InsertObject[] {
  const objects = nodes.map((node) => readObject(node, visible));
  for (const object of objects) checkObject(object, []);
  return objects;
}

function readObject(input: InputNode, visible: VisibleTable): InsertObject {
  const node = objectOf(input);
  const definitions = node.type.fields();
  const values = new Map<string, { column: Column; node: InputNode }>();
  const nested: NestedInsert[] = [];
  for (const [name, value] of node.fields) {
    const { meaning } = definitions.get(name)!;
    if (meaning.kind === 'column')
      values.set(meaning.column.column.name, { column: meaning.column.column, node: value });
    else if (meaning.kind === 'nestedInsert') {
      const inner = value.kind === 'null' ? undefined : readNested(value, meaning.relationship, visible);
      if (inner) nested.push(inner);
    } else throw new Error(`an insert has no ${meaning.kind}`);
  }
  return {
    path: node.path,
    values,
    before: nested.length === 0 ? NONE : nested.filter((each) => isBefore(each)),
    after: nested.length === 0 ? NONE : nested.filter((each) => !isBefore(each)),
  };
}

const NONE: readonly NestedInsert[] = [];

function isBefore({ relationship: { shape } }: NestedInsert): boolean {
  return shape.kind === 'object' && !shape.insertAfter;
}

function readNested(
  node: InputNode,
  relationship: Relationship,
  owner: VisibleTable,
): NestedInsert | undefined {
  const { fields, path } = objectOf(node);
  const data = fields.get('data');
  if (!data || data.kind === 'null') return undefined;
  const items = data.kind === 'list' ? data.items : [data];
  if (items.length === 0) return undefined;
  const visible = owner.of(relationship.target);
  const { name } = sharedTypes(visible.table.source);
  return {
    relationship,
    visible,
    conflict: conflictOf(fields.get(name('on_conflict')), visible),
    objects: items.map((item) => readObject(item, visible)),
    path,
    dataPath: data.path,
  };
}

/** `given`: columns that the parent's row determines. */
function checkObject(object: InsertObject, given: readonly Column[]): void {
  if (!hasNested(object)) return;
  const determined = new Set([...object.values.keys(), ...given.map(({ name }) => name)]);
  for (const { relationship, path, objects } of object.before) {
    const own = relationship.columns.map(([column]) => column);
    const twice = own.filter(({ name }) => determined.has(name));
    if (twice.length > 0) {
      throw new EngineError(
        'validation-failed',
        `cannot insert object relationship "${relationship.name}" as ${quoted(twice)} column values are already determined`,
        { path },
      );
    }
    for (const { name } of own) determined.add(name);
    for (const parent of objects) checkObject(parent, []);
  }
  for (const { relationship, objects } of object.after) {
    const theirs = relationship.columns.map(([, column]) => column);
    for (const { values, path } of objects) {
      const twice = theirs.filter(({ name }) => values.has(name));
      if (twice.length > 0) {
        throw new EngineError(
          'validation-failed',
          `cannot insert ${quoted(twice)} columns as their values are already being determined by parent insert`,
          { path },
        );
      }
    }
    for (const child of objects) checkObject(child, theirs);
  }
}

function quoted(columns: readonly Column[]): string {
  return columns.map((column) => `"${column.name}"`).join(', ');
}

export function hasNested({ before, after }: InsertObject): boolean {
  return before.length > 0 || after.length > 0;
}
