/** The API as one role sees it: its tables, its root types, and every type that those reach. */
import type { ProgramContent, SchemaOptions, Table } from '../program.ts';
import { lazy, remember } from '../remember.ts';
import type { RemoteTypes } from '../remotes/types.ts';
import { remoteTypesOf } from '../remotes/view.ts';
import type { DeclaredTable } from '../shapes.ts';
import { createRootTypes, type RootTypes } from './root-types.ts';
import { createTableTypes, type TableTypes } from './table-types.ts';
import { type TableView, tableView } from './table-view.ts';

export interface RoleView {
  /** undefined: a role that no rule mentions. */
  readonly role: string | undefined;
  readonly backendOnly: boolean;
  /** Offer `__schema` and `__type`. */
  readonly introspection: boolean;
  readonly program: ProgramContent;
  readonly options: SchemaOptions;
  readonly table: (table: Table) => TableView;
  /** The view of the table that a file declares. */
  readonly of: (declared: DeclaredTable) => TableView;
  readonly types: (table: Table) => TableTypes;
  /** A remote schema by name; undefined where the role has no permission. */
  readonly remote: (name: string) => RemoteTypes | undefined;
  readonly roots: RootTypes;
}

/** Makes the view of a role; everything inside is built on first use. */
export function createRoleView(
  program: ProgramContent,
  role: string | undefined,
  { backendOnly, introspection }: Pick<RoleView, 'backendOnly' | 'introspection'>,
  options: SchemaOptions,
): RoleView {
  const tables = new Map<Table, TableView>();
  const types = new Map<Table, TableTypes>();
  const remotes = new Map<string, { readonly types: RemoteTypes | undefined }>();
  const roots = lazy(() => createRootTypes(view));
  const view: RoleView = {
    role,
    backendOnly,
    introspection,
    program,
    options,
    table: (table) =>
      remember(tables, table, () =>
        tableView(
          table,
          program.access(table),
          role,
          backendOnly,
          view.table,
          program.rule,
          options.markRules,
        ),
      ),
    of: (declared) => {
      const table = program.tableOf(declared);
      if (!table) throw new Error(`the table ${declared.schema}.${declared.name} is not part of the program`);
      return view.table(table);
    },
    remote: (name) =>
      remember(remotes, name, () => {
        const shape = program.remotes.find((each) => each.name === name);
        return { types: shape && remoteTypesOf(shape, view) };
      }).types,
    types: (table) => remember(types, table, () => createTableTypes(view.table(table), view)),
    get roots() {
      return roots();
    },
  };
  return view;
}
