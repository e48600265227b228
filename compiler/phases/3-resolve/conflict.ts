/** Names that two tables claim: of types, and of root fields. The earlier table keeps them, whatever the source. */
import { displayName, pascalCase } from '../../../runtime/core/names.ts';
import { diagnostics } from '../../../runtime/diagnostics/catalogue.ts';
import { at, type RootFieldClash } from '../../../runtime/diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { RootField } from '../../model/model.ts';
import { attempt, leaveOut } from './report.ts';
import { resolveRootFields } from './root-field.ts';
import { quoted, type SourceScope, type TableScope } from './scope.ts';
import { tableObject } from './table.ts';

interface Owned {
  readonly scope: SourceScope;
  readonly table: TableScope;
}

/** Leaves out tables whose types are named like those of an earlier table. */
export function leaveOutTypeConflicts(scopes: readonly SourceScope[]): void {
  const taken = new Map<string, Owned>();
  for (const scope of scopes) {
    for (const table of scope.tables.values()) {
      const type = typeName(scope, table);
      const other = taken.get(type);
      if (!other) {
        taken.set(type, { scope, table });
        continue;
      }
      scope.tables.delete(table.key);
      const message = diagnostics.typeNameConflict({
        type,
        table: quoted(table.catalog),
        other: `table ${quoted(other.table.catalog)}`,
      });
      const clashes = clashingRootFields(other, { scope, table });
      leaveOut(scope, tableObject(scope, table.entry), {
        ...message,
        ...(clashes.length > 0 && { clashes }),
      });
    }
  }
}

/** The root fields that two tables both claim. */
function clashingRootFields(first: Owned, second: Owned): readonly RootFieldClash[] {
  if (first.scope.shape.rootNamespace !== second.scope.shape.rootNamespace) return [];
  const fields = ({ scope, table }: Owned) =>
    attempt({ diagnostics: [] }, tableObject(scope, table.entry), () => resolveRootFields(scope, table)) ??
    [];
  const taken = new Set(fields(first).map((field) => `${rootTypeOf(field)} ${field.name}`));
  return fields(second)
    .filter((field) => taken.has(`${rootTypeOf(field)} ${field.name}`))
    .map((field) => ({
      root: rootTypeOf(field),
      field: field.name,
      first: ownerName(first),
      second: ownerName(second),
    }));
}

/** Name of a table among the owners of root fields: `table author in source default`. */
export function ownerName({ scope, table: { catalog } }: Owned): string {
  return `table ${displayName(catalog.schema, catalog.name)} in source ${scope.source.name}`;
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
  select_group_by: 'query_root',
  select_stream: 'subscription_root',
  insert: 'mutation_root',
  insert_one: 'mutation_root',
  update: 'mutation_root',
  update_by_pk: 'mutation_root',
  update_many: 'mutation_root',
  delete: 'mutation_root',
  delete_by_pk: 'mutation_root',
};

/** The root type of a table's root field. */
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
  /** Claims a name without a report. @returns false if it is taken */
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
        const clash: RootFieldClash = { root, field: field.name, first, second };
        scope.diagnostics.push(
          at(path, { ...diagnostics.rootFieldConflict({ ...clash }), clashes: [clash] }),
        );
        return false;
      }),
  };
}
