/** Names that two tables claim: of types, and of root fields. The earlier table keeps them, whatever the source. */
import { displayName, pascalCase } from '../../../runtime/core/names.ts';
import { diagnostics } from '../../diagnostics/catalogue.ts';
import { at } from '../../diagnostics/diagnostic.ts';
import type { RootField } from '../../model/model.ts';
import { leaveOut } from './report.ts';
import { quoted, type SourceScope, type TableScope } from './scope.ts';
import { tableObject } from './table.ts';

/** Leaves out tables whose types are named like those of an earlier table. */
export function leaveOutTypeConflicts(scopes: readonly SourceScope[]): void {
  const taken = new Map<string, TableScope>();
  for (const scope of scopes) {
    for (const table of scope.tables.values()) {
      const type = typeName(scope, table);
      const other = taken.get(type);
      if (!other) {
        taken.set(type, table);
        continue;
      }
      scope.tables.delete(table.key);
      leaveOut(
        scope,
        tableObject(scope, table.entry),
        diagnostics.typeNameConflict({
          type,
          table: quoted(table.catalog),
          other: `table ${quoted(other.catalog)}`,
        }),
      );
    }
  }
}

function typeName(scope: SourceScope, table: TableScope): string {
  const { typePrefix = '', typeSuffix = '', naming } = scope.shape;
  const name =
    naming === 'graphql-default' && !table.customName ? pascalCase(table.graphqlName) : table.graphqlName;
  return typePrefix + name + typeSuffix;
}

const rootTypes: Readonly<Record<RootField['kind'], readonly string[]>> = {
  select: ['query_root'],
  select_by_pk: ['query_root'],
  select_aggregate: ['query_root'],
  select_stream: ['subscription_root'],
  insert: ['mutation_root'],
  insert_one: ['mutation_root'],
  update: ['mutation_root'],
  update_by_pk: ['mutation_root'],
  update_many: ['mutation_root'],
  delete: ['mutation_root'],
  delete_by_pk: ['mutation_root'],
};

/** Tells, one table after the other, which of its root fields are still free. */
export function createRootFieldRegister(): (
  scope: SourceScope,
  table: TableScope,
  fields: readonly RootField[],
) => RootField[] {
  const taken = new Map<string, string>();
  return (scope, table, fields) => {
    const owner = `table ${displayName(table.catalog.schema, table.catalog.name)} in source ${scope.source.name}`;
    return fields.filter(({ kind, name }) => {
      const [root] = rootTypes[kind];
      // Fields below a namespace meet only fields below the same one.
      const place = `${root} ${scope.shape.rootNamespace ?? ''} ${name}`;
      const first = taken.get(place);
      if (first === undefined) {
        taken.set(place, owner);
        return true;
      }
      scope.diagnostics.push(
        at(
          table.entry.path,
          diagnostics.rootFieldConflict({ root: root!, field: name, first, second: owner }),
        ),
      );
      return false;
    });
  };
}
