/** A random project as SQL and as metadata. */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { conditionJson } from './condition.ts';
import {
  type ComputedField,
  columnNamed,
  type Permission,
  type Project,
  type Relationship,
  type Table,
  tableNamed,
} from './project.ts';
import { sqlLiteral, TYPE_DECLARATIONS, TYPES } from './types.ts';

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const columnList = (names: readonly string[]) => names.map(quote).join(', ');
const tableSql = (table: Table) => `${quote(table.schema)}.${quote(table.name)}`;

/** SQL that makes the database of a project from scratch. */
export function projectSql(project: Project): string {
  const tables = project.tables.filter(({ kind }) => kind === 'table');
  return [
    'drop schema if exists public cascade;\ndrop schema if exists other cascade;\ncreate schema public;\ncreate schema other;',
    TYPE_DECLARATIONS,
    ...tables.map(createTable),
    ...tables.flatMap(insertRows),
    ...tables.flatMap((table) => addForeignKeys(project, table)),
    ...project.tables.filter(({ kind }) => kind === 'view').map((view) => createView(project, view)),
    ...project.tables.flatMap((table) =>
      table.computedFields.map((field) => createFunction(project, table, field)),
    ),
  ].join('\n');
}

function createTable(table: Table): string {
  const columns = table.columns.map(
    ({ name, type, nullable }) => `${quote(name)} ${TYPES[type].sql}${nullable ? '' : ' not null'}`,
  );
  const key = table.primaryKey.length > 0 ? [`primary key (${columnList(table.primaryKey)})`] : [];
  return `create table ${tableSql(table)} (${[...columns, ...key].join(', ')});`;
}

function insertRows(table: Table): string[] {
  if (table.rows.length === 0) return [];
  const rows = table.rows.map(
    (row) =>
      `(${table.columns.map(({ name, type }) => sqlLiteral(TYPES[type], row[name]!, row[name] === null)).join(', ')})`,
  );
  return [`insert into ${tableSql(table)} values ${rows.join(',\n  ')};`];
}

function addForeignKeys(project: Project, table: Table): string[] {
  return table.foreignKeys.flatMap(({ columns, target, unique }) => {
    const other = tableNamed(project, target);
    return [
      `alter table ${tableSql(table)} add foreign key (${columnList(columns)}) references ${tableSql(other)} (${columnList(other.primaryKey)});`,
      ...(unique ? [`alter table ${tableSql(table)} add unique (${columnList(columns)});`] : []),
    ];
  });
}

function createView(project: Project, view: Table): string {
  const { table, notNull } = view.view!;
  const where = notNull === undefined ? '' : ` where ${quote(notNull)} is not null`;
  return `create view ${tableSql(view)} as select ${columnList(view.columns.map(({ name }) => name))} from ${tableSql(tableNamed(project, table))}${where};`;
}

function functionName(table: Table, field: ComputedField): string {
  return `${table.name}_${field.name}`;
}

function createFunction(project: Project, table: Table, field: ComputedField): string {
  const name = `public.${quote(functionName(table, field))}`;
  const row = `r ${tableSql(table)}`;
  const column = `r.${quote(field.column)}`;
  const end = 'language sql stable;';
  switch (field.kind) {
    case 'double':
      return `create function ${name}(${row}) returns integer as $$ select ${column} * 2 $$ ${end}`;
    case 'upper':
      return `create function ${name}(${row}) returns text as $$ select upper(${column}) $$ ${end}`;
    case 'plus':
      return `create function ${name}(${row}, added integer default 1) returns integer as $$ select ${column} + added $$ ${end}`;
    case 'session':
      return `create function ${name}(${row}, s json) returns integer as $$ select ${column} + (s->>'x-engine-int4')::integer $$ ${end}`;
    case 'rows': {
      const target = tableSql(tableNamed(project, field.target));
      return `create function ${name}(${row}) returns setof ${target} as $$ select t.* from ${target} t where t.${quote(field.targetColumn)} = ${column} $$ ${end}`;
    }
  }
}

const named = (table: Table) => ({ schema: table.schema, name: table.name });

/** The metadata document of a project. */
export function projectMetadata(project: Project): JsonObject {
  return metadataOf(
    project.tables.map((table) => ({
      table: named(table),
      ...(table.primaryKey.length > 0 && { apollo_federation_config: { enable: 'v1' } }),
      object_relationships: relationships(project, table, 'object'),
      array_relationships: relationships(project, table, 'array'),
      computed_fields: table.computedFields.map((field) => ({
        name: field.name,
        definition: {
          function: { schema: 'public', name: functionName(table, field) },
          ...(field.kind === 'session' && { session_argument: 's' }),
        },
      })),
      select_permissions: table.permissions.map((permission) => permissionEntry(table, permission)),
    })),
    {
      inherited_roles: project.inheritedRoles.map(({ name, parents }) => ({
        role_name: name,
        role_set: parents,
      })),
    },
  );
}

function relationships(project: Project, table: Table, kind: Relationship['kind']): JsonObject[] {
  return table.relationships
    .filter((relationship) => relationship.kind === kind)
    .map((relationship) => ({ name: relationship.name, using: relationshipUsing(project, relationship) }));
}

function relationshipUsing(project: Project, { target, columns, declared }: Relationship): JsonObject {
  const other = named(tableNamed(project, target));
  switch (declared) {
    case 'own key': {
      const own = columns.map(([column]) => column);
      return { foreign_key_constraint_on: own.length === 1 ? own[0]! : own };
    }
    case 'other key': {
      const theirs = columns.map(([, column]) => column);
      const key = theirs.length === 1 ? { column: theirs[0]! } : { columns: theirs };
      return { foreign_key_constraint_on: { table: other, ...key } };
    }
    case 'manual':
      return { manual_configuration: { remote_table: other, column_mapping: Object.fromEntries(columns) } };
  }
}

function permissionEntry(table: Table, permission: Permission): JsonObject {
  const every = table.columns.every(({ name }) => permission.columns.includes(name));
  return {
    role: permission.role,
    permission: {
      columns: every ? '*' : permission.columns,
      computed_fields: permission.computedFields,
      filter: conditionJson(permission.filter) as JsonObject,
      ...(permission.limit !== undefined && { limit: permission.limit }),
      allow_aggregations: permission.aggregations,
    },
  };
}

/** Rows of a table or view. */
export function rowsOf(project: Project, table: Table): readonly Table['rows'][number][] {
  if (!table.view) return table.rows;
  const { table: shown, notNull } = table.view;
  const rows = rowsOf(project, tableNamed(project, shown));
  return notNull === undefined ? rows : rows.filter((row) => row[columnNamed(table, notNull).name] !== null);
}
