/**
 * The linked program: what generated files declare, with names resolved to objects and rules parsed. Frozen once made;
 * a request keeps the program it began with.
 */

import { camelCase, isGraphqlName, objectKey } from './names.ts';
import { lazy, remember } from './remember.ts';
import type { FunctionResolvers, GeneratedProgram, TableResolvers } from './resolvers.ts';
import { createRoleView, type RoleView } from './schema/role-view.ts';
import { ADMIN_ROLE } from './session.ts';
import type { ApiLimits } from './settings.ts';
import type {
  ColumnShape,
  ComputedFieldShape,
  FunctionShape,
  RelationshipShape,
  SourceShape,
  TableAccess,
  TableShape,
} from './shapes.ts';
import { identifier, type Sql } from './sql/fragment.ts';
import { type TypeNames, typeNames } from './type-names.ts';
import { type ColumnType, columnType } from './types.ts';

/** A tracked table with everything resolved that does not depend on a role. */
export interface Table {
  readonly key: string;
  readonly shape: TableShape;
  readonly source: SourceShape;
  readonly resolvers: TableResolvers;
  readonly access: TableAccess;
  /** `"public"."article"`. */
  readonly sql: Sql;
  readonly columns: ReadonlyMap<string, Column>;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly computedFields: ReadonlyMap<string, ComputedField>;
  readonly primaryKey: readonly Column[];
  readonly names: TypeNames;
}

export interface Column {
  readonly name: string;
  readonly shape: ColumnShape;
  /** GraphQL field; undefined when the column is left out of the schema. */
  readonly field: string | undefined;
  readonly type: ColumnType;
  readonly enumTable?: Table;
}

export interface Relationship {
  readonly name: string;
  /** GraphQL field. */
  readonly field: string;
  readonly shape: RelationshipShape;
  readonly target: Table;
  /** Pairs of this table's and the target's column. */
  readonly columns: readonly (readonly [Column, Column])[];
}

export interface ComputedField {
  readonly name: string;
  readonly field: string;
  readonly shape: ComputedFieldShape;
  readonly returns: { readonly type: ColumnType } | { readonly table: Table; readonly set: boolean };
}

export interface TableFunction {
  readonly key: string;
  readonly shape: FunctionShape;
  readonly resolvers: FunctionResolvers;
  readonly returns: Table;
  readonly source: SourceShape;
}

export interface Program {
  readonly sources: readonly SourceShape[];
  readonly limits: ApiLimits | undefined;
  readonly tables: readonly Table[];
  readonly functions: readonly TableFunction[];
  /** Roles that any rule mentions; `admin` is not among them. */
  readonly roles: ReadonlySet<string>;
  /** The API as a role sees it. All unknown roles share one view. */
  readonly view: (role: string, backendOnly: boolean) => RoleView;
}

/** Options of the server that shape the API. */
export interface SchemaOptions {
  /** Functions are usable by whoever may select from their table. */
  readonly inferFunctionPermissions: boolean;
}

/**
 * Links generated parts. Names were checked by the compiler; what cannot be found here is a defect of the generated
 * files and throws.
 */
export function linkProgram(generated: GeneratedProgram, options: SchemaOptions): Program {
  const bySource = new Map<string, Map<string, Table>>();
  for (const source of generated.sources) bySource.set(source.name, new Map());
  const tables = generated.tables.map((resolvers) => {
    const table = linkTable(resolvers, (key) => {
      const target = bySource.get(resolvers.access.table.source.name)?.get(key);
      if (!target) throw new Error(`generated code refers to the table ${key}, which is not part of it`);
      return target;
    });
    bySource.get(table.source.name)?.set(table.key, table);
    return table;
  });
  const functions = generated.functions.map((resolvers): TableFunction => {
    const shape = resolvers.access.function;
    const returns = bySource.get(shape.source.name)?.get(shape.returns.table);
    if (!returns)
      throw new Error(`generated code refers to the table ${shape.returns.table}, which is not part of it`);
    return { key: objectKey(shape.schema, shape.name), shape, resolvers, returns, source: shape.source };
  });
  const roles = new Set<string>();
  for (const { access } of tables) {
    for (const rules of [access.select, access.insert, access.update, access.delete]) {
      for (const role of Object.keys(rules ?? {})) roles.add(role);
    }
  }
  for (const { resolvers } of functions) for (const role of resolvers.access.roles ?? []) roles.add(role);
  const withoutIntrospection = new Set(generated.introspectionDisabledFor);
  const views = new Map<string, RoleView>();
  const linked: Program = {
    sources: generated.sources,
    limits: generated.limits,
    tables,
    functions,
    roles,
    view: (role, backendOnly) => {
      const known = role === ADMIN_ROLE || roles.has(role);
      const introspection = !withoutIntrospection.has(role);
      const key = `${introspection ? '' : 'closed '}${known ? `${backendOnly ? 'backend ' : ''}role ${role}` : 'unknown'}`;
      return remember(views, key, () =>
        createRoleView(linked, known ? role : undefined, { backendOnly, introspection }, options),
      );
    },
  };
  return linked;
}

function linkTable(resolvers: TableResolvers, find: (key: string) => Table): Table {
  const shape = resolvers.access.table;
  const names = typeNames(shape);
  // On first use: tables refer to each other in circles.
  const columns = lazy(
    () =>
      new Map(
        Object.entries(shape.columns).map(([name, column]) => [name, linkColumn(shape, name, column, find)]),
      ),
  );
  const relationships = lazy(
    () =>
      new Map(
        Object.entries(shape.relationships ?? {}).map(([name, relationship]): [string, Relationship] => {
          const target = find(relationship.target);
          const pairs = Object.entries(relationship.columns).map(
            ([own, other]) => [columnOf(table, own), columnOf(target, other)] as const,
          );
          return [name, { name, field: names.field(name), shape: relationship, target, columns: pairs }];
        }),
      ),
  );
  const computedFields = lazy(
    () =>
      new Map(
        Object.entries(shape.computedFields ?? {}).map(([name, field]): [string, ComputedField] => [
          name,
          {
            name,
            field: names.field(name),
            shape: field,
            returns:
              'type' in field.returns
                ? { type: columnType(shape.source, field.returns.type) }
                : { table: find(field.returns.table), set: field.returns.set },
          },
        ]),
      ),
  );
  const table: Table = {
    key: objectKey(shape.schema, shape.name),
    shape,
    source: shape.source,
    resolvers,
    access: resolvers.access,
    sql: identifier(shape.schema, shape.name),
    names,
    get columns() {
      return columns();
    },
    get relationships() {
      return relationships();
    },
    get computedFields() {
      return computedFields();
    },
    get primaryKey() {
      return (shape.primaryKey?.columns ?? []).map((name) => columnOf(table, name));
    },
  };
  return table;
}

function linkColumn(
  table: TableShape,
  name: string,
  shape: ColumnShape,
  find: (key: string) => Table,
): Column {
  const written = shape.field === undefined ? name : shape.field;
  const visible = written !== null && isGraphqlName(written) ? written : undefined;
  const convention = table.source.naming === 'graphql-default' && !shape.customField;
  return {
    name,
    shape,
    field: visible !== undefined && convention ? camelCase(visible) : visible,
    type: columnType(table.source, shape.type),
    ...(shape.enumTable ? { enumTable: find(shape.enumTable) } : {}),
  };
}

/** A column by database name. */
export function columnOf(table: Table, name: string): Column {
  const column = table.columns.get(name);
  if (!column) throw new Error(`generated code refers to the column ${name} of ${table.key}, which has none`);
  return column;
}
