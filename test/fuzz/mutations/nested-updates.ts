/** What an update does with changes of related rows: the update first, then what is related to its rows, in the order of the request. */
import { columnNamed, type Row, type Table, tableNamed } from '../queries/project.ts';
import { TYPES } from '../queries/types.ts';
import { deletePath, insertPath, relationshipNamed, updatePath } from './form.ts';
import { BARE } from './permissions.ts';
import type { Reads } from './reads.ts';
import type { Change, Changes, Conflict, InsertObject, Related } from './request.ts';
import { baseOf, RULES } from './tables.ts';

/** Statements under the role's rules. */
interface Statements {
  readonly insert: (
    table: Table,
    rows: readonly Row[],
    conflict: Conflict | undefined,
    path: string,
  ) => Row[];
  /** undefined: there is nothing to change. */
  readonly update: (
    table: Table,
    changes: readonly Change[],
    wanted: (row: Row) => boolean,
    path: string,
  ) => Row[] | undefined;
  readonly choose: (table: Table, wanted: (row: Row) => boolean, path: string) => Row[];
  readonly remove: (table: Table, wanted: (row: Row) => boolean, path: string) => Row[];
}

interface Written {
  /** Related rows included. */
  readonly affected: number;
  readonly rows: readonly Row[];
}

export function createNestedUpdates({ matching, latest }: Reads, statements: Statements) {
  return { run };

  /** An update of the root; `path` is that of its arguments. */
  function run(table: Table, update: Changes, wanted: (row: Row) => boolean, path: string): Written {
    const { affected, rows } = tree(table, update, wanted, '$', path);
    return { affected, rows: update.related.length > 0 ? rows.map((row) => latest(table, row)) : rows };
  }

  /** @param failures path of failures of its own statement */
  function tree(
    table: Table,
    { changes, related }: Changes,
    wanted: (row: Row) => boolean,
    failures: string,
    path: string,
  ): Written {
    const updated = statements.update(table, changes, wanted, failures);
    const asked = related.filter(
      (each) => each.delete || each.updates.length > 0 || (each.insert && each.insert.objects.length > 0),
    );
    if (asked.length === 0) return { affected: updated?.length ?? 0, rows: updated ?? [] };
    const rows = updated ?? statements.choose(table, wanted, failures);
    let affected = updated?.length ?? 0;
    for (const each of asked) affected += change(table, rows, each, path);
    return { affected, rows };
  }

  /** @returns the number of rows written */
  function change(table: Table, parents: readonly Row[], related: Related, path: string): number {
    const target = tableNamed(BARE, related.target);
    const pairs = relationshipNamed(table.name, related.relationship).columns;
    const tied = (row: Row) =>
      parents.some((parent) =>
        pairs.every(([own, other]) => parent[own] !== null && parent[own] === row[other]),
      );
    let affected = 0;
    if (related.delete) {
      const wanted = matching(target, related.delete);
      const removed = statements.remove(target, (row) => tied(row) && wanted(row), deletePath(path, related));
      affected += removed.length;
    }
    for (const [index, update] of related.updates.entries()) {
      const wanted = matching(target, update.where);
      const at = updatePath(path, related, index);
      affected += tree(target, update, (row) => tied(row) && wanted(row), at, at).affected;
    }
    const { objects = [], conflict } = related.insert ?? {};
    const sets = isUniform(target, objects) ? [objects] : objects.map((object) => [object]);
    for (const set of sets.filter(({ length }) => length > 0)) {
      const rows = set.flatMap(({ columns }) =>
        inOrder(table, parents).map((parent) => ({
          ...columns,
          ...Object.fromEntries(pairs.map(([own, other]) => [other, parent[own]!])),
        })),
      );
      affected += statements.insert(target, rows, conflict, insertPath(path, related)).length;
    }
    return affected;
  }

  /** Whether all rows fit one statement: a column that one leaves out is null, or none gives it. */
  function isUniform({ name, kind }: Table, objects: readonly InsertObject[]): boolean {
    const { serial, defaults } = RULES[baseOf(name)]!;
    const given = new Set(objects.flatMap(({ columns }) => Object.keys(columns)));
    return [...given].every(
      (column) =>
        (kind === 'table' && column !== serial && !Object.hasOwn(defaults, column)) ||
        objects.every(({ columns }) => Object.hasOwn(columns, column)),
    );
  }

  function inOrder(table: Table, rows: readonly Row[]): readonly Row[] {
    return rows.toSorted((left, right) => {
      const key = table.primaryKey.find((name) => left[name] !== right[name]);
      if (key === undefined) return 0;
      return TYPES[columnNamed(table, key).type].compare!(left[key]!, right[key]!);
    });
  }
}
