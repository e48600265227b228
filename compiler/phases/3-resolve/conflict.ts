/** Names that two tables claim: of types, and of root fields. The earlier table keeps them, whatever the source. */
import { pascalCase } from '../../../runtime/core/names.ts';
import { diagnostics } from '../../diagnostics/catalogue.ts';
import { at } from '../../diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../model/metadata.ts';
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

const rootTypes: Readonly<Record<RootField['kind'], string>> = {
  select: 'query_root',
  select_by_pk: 'query_root',
  select_aggregate: 'query_root',
  select_stream: 'subscription_root',
  insert: 'mutation_root',
  insert_one: 'mutation_root',
  update: 'mutation_root',
  update_by_pk: 'mutation_root',
  update_many: 'mutation_root',
  delete: 'mutation_root',
  delete_by_pk: 'mutation_root',
};

/** The root type below which a root field of a table stands. */
export function rootTypeOf({ kind }: RootField): string {
  return rootTypes[kind];
}

/** Whose root fields they are: `table author in source default`, and its place in the metadata. */
export interface RootFieldOwner {
  readonly name: string;
  readonly path: MetadataPath;
}

/** Root fields by name: the first that claims one has it. */
export interface RootFieldRegister {
  /** Those fields that are still free; what is taken is reported. */
  readonly claim: <Field extends { readonly name: string }>(
    scope: SourceScope,
    owner: RootFieldOwner,
    fields: readonly Field[],
    rootOf: (field: Field) => string,
  ) => Field[];
  /** Takes a name that nobody else has, quietly. Whether it could. */
  readonly claimUnused: (scope: SourceScope, owner: string, root: string, name: string) => boolean;
}

export function createRootFieldRegister(): RootFieldRegister {
  const owners = new Map<string, string>();
  // Fields below a namespace meet only fields below the same one.
  const placeOf = ({ shape }: SourceScope, root: string, name: string) =>
    `${root} ${shape.rootNamespace ?? ''} ${name}`;
  const claimUnused: RootFieldRegister['claimUnused'] = (scope, owner, root, name) => {
    const place = placeOf(scope, root, name);
    if (owners.has(place)) return false;
    owners.set(place, owner);
    return true;
  };
  return {
    claimUnused,
    claim: (scope, { name: second, path }, fields, rootOf) =>
      fields.filter((field) => {
        const root = rootOf(field);
        if (claimUnused(scope, second, root, field.name)) return true;
        const first = owners.get(placeOf(scope, root, field.name))!;
        scope.diagnostics.push(
          at(path, diagnostics.rootFieldConflict({ root, field: field.name, first, second })),
        );
        return false;
      }),
  };
}
