/** The API as one role sees it: its tables, its root types, and every type that those reach. */

import type { DeclaredTable } from '../contract/shapes.ts';
import type { ProgramContent, SchemaOptions, Table } from '../program/program.ts';
import { nodeInterface } from '../relay/types.ts';
import { lazy, remember } from '../remember.ts';
import { remoteTypesOf } from '../remotes/remote-root.ts';
import type { RemoteTypes } from '../remotes/types.ts';
import { createRootTypes, type RootTypes } from './root-types.ts';
import { createTableTypes, type TableTypes } from './table-types.ts';
import type { AbstractType } from './types.ts';
import { type VisibleTable, visibleTable } from './visible-table.ts';

export interface RoleSchema {
  /** undefined: a role that no rule mentions. */
  readonly role: string | undefined;
  readonly backendOnly: boolean;
  /** Offer `__schema` and `__type`. */
  readonly introspection: boolean;
  /** The relay API: connections instead of lists, global ids. */
  readonly relay: boolean;
  readonly program: ProgramContent;
  readonly options: SchemaOptions;
  readonly table: (table: Table) => VisibleTable;
  /** The table of a file as the role sees it. */
  readonly of: (declared: DeclaredTable) => VisibleTable;
  readonly types: (table: Table) => TableTypes;
  /** A remote schema by name; undefined where the role has no permission. */
  readonly remote: (name: string) => RemoteTypes | undefined;
  /** The interface `Node`, in the relay API. */
  readonly node: () => AbstractType;
  readonly roots: RootTypes;
}

/** Makes the schema of a role; everything inside is built on first use. */
export function createRoleSchema(
  program: ProgramContent,
  role: string | undefined,
  { backendOnly, introspection, relay }: Pick<RoleSchema, 'backendOnly' | 'introspection' | 'relay'>,
  options: SchemaOptions,
): RoleSchema {
  const tables = new Map<Table, VisibleTable>();
  const types = new Map<Table, TableTypes>();
  const remotes = new Map<string, { readonly types: RemoteTypes | undefined }>();
  const roots = lazy(() => createRootTypes(roleSchema));
  const roleSchema: RoleSchema = {
    role,
    backendOnly,
    introspection,
    relay,
    program,
    options,
    table: (table) =>
      remember(tables, table, () =>
        visibleTable(
          table,
          program.access(table),
          role,
          backendOnly,
          roleSchema.table,
          program.rule,
          options.ruleHoles,
        ),
      ),
    of: (declared) => {
      const table = program.tableOf(declared);
      if (!table) throw new Error(`the table ${declared.schema}.${declared.name} is not part of the program`);
      return roleSchema.table(table);
    },
    remote: (name) =>
      remember(remotes, name, () => {
        const shape = program.remotes.find((each) => each.name === name);
        return { types: shape && remoteTypesOf(shape, roleSchema) };
      }).types,
    types: (table) => remember(types, table, () => createTableTypes(roleSchema.table(table), roleSchema)),
    node: lazy(() => nodeInterface(roleSchema)),
    get roots() {
      return roots();
    },
  };
  return roleSchema;
}
