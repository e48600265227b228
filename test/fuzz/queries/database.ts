/** A random project as SQL and as metadata. */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { metadataOf } from '../../harness/metadata.ts';
import { conditionJson } from './condition.ts';
import {
  type Column,
  type ComputedField,
  type ForeignKey,
  type Key,
  ownOrder,
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
  const tables = project.tables.filter(({ view }) => !view);
  const keys = (isBypassed: boolean) =>
    tables.flatMap((table) =>
      table.foreignKeys
        .filter(({ broken }) => (broken === 'bypassed') === isBypassed)
        .flatMap((key) => addForeignKey(project, table, key)),
    );
  return [
    'drop schema if exists public cascade;\ndrop schema if exists other cascade;\ncreate schema public;\ncreate schema other;',
    TYPE_DECLARATIONS,
    ...tables.map((table) => createTable(project, table)),
    ...keys(true),
    // Triggers of foreign keys sleep.
    'set session_replication_role = replica;',
    ...tables.flatMap(insertRows),
    'set session_replication_role = origin;',
    ...keys(false),
    ...tables.flatMap((table) => table.keys.map((key, index) => addKey(table, key, index))),
    ...tables.flatMap((table) =>
      table.columns.flatMap(({ name, claimed }) => (claimed ? claim(table, name, claimed) : [])),
    ),
    ...project.tables.filter(({ view }) => view).map((view) => createView(project, view)),
    ...project.tables.flatMap((table) =>
      table.computedFields.map((field) => createFunction(project, table, field)),
    ),
  ].join('\n');
}

function createTable(project: Project, table: Table): string {
  const parent = table.inherits === undefined ? undefined : tableNamed(project, table.inherits);
  const inherited = new Set(parent?.columns.map(({ name }) => name));
  const columns = table.columns
    .filter(({ name }) => !inherited.has(name))
    .map(({ name, type, nullable }) => `${quote(name)} ${TYPES[type].sql}${nullable ? '' : ' not null'}`);
  const key = table.primaryKey.length > 0 ? [`primary key (${columnList(table.primaryKey)})`] : [];
  const inherits = parent ? ` inherits (${tableSql(parent)})` : '';
  return `create table ${tableSql(table)} (${[...columns, ...key].join(', ')})${inherits};`;
}

function insertRows(table: Table): string[] {
  if (table.rows.length === 0) return [];
  const rows = table.rows.map(
    (row) =>
      `(${table.columns.map(({ name, type }) => sqlLiteral(TYPES[type], row[name]!, row[name] === null)).join(', ')})`,
  );
  return [`insert into ${tableSql(table)} values ${rows.join(',\n  ')};`];
}

function addForeignKey(
  project: Project,
  table: Table,
  { columns, target, unique, broken }: ForeignKey,
): string[] {
  const other = tableNamed(project, target);
  const add = `alter table ${tableSql(table)} add foreign key (${columnList(columns)}) references ${tableSql(other)} (${columnList(other.primaryKey)})`;
  const said =
    broken === 'not valid'
      ? `${add} not valid;`
      : broken === 'not enforced'
        ? sinceVersion(18, `${add} not enforced`, `${add} not valid`)
        : `${add};`;
  return [said, ...(unique ? [`alter table ${tableSql(table)} add unique (${columnList(columns)});`] : [])];
}

function addKey(table: Table, { column, kind }: Key, index: number): string {
  const name = quote(`${table.name}_key_${index}`);
  const own = quote(column);
  const unique = (of: string) => `create unique index ${name} on ${tableSql(table)} ${of};`;
  const [first = column, ...rest] = table.primaryKey;
  const others = rest.map((each) => `${quote(each)}, `).join('');
  switch (kind) {
    case 'constraint':
      return `alter table ${tableSql(table)} add constraint ${name} unique (${own});`;
    case 'deferrable':
      return `alter table ${tableSql(table)} add constraint ${name} unique (${own}) deferrable initially deferred;`;
    case 'index':
      return unique(`(${own})`);
    case 'partial index':
      return unique(`(${own}) where ${own} is null`);
    case 'index with an expression':
      return unique(`((${quote(first)}::text || ''), ${others}${own})`);
    case 'index that includes':
      return unique(`(${columnList([first, ...rest])}) include (${own})`);
    case 'invalid index':
      // What "create index concurrently" leaves when it meets two equal rows; it cannot be run among other statements.
      return `create index ${name} on ${tableSql(table)} (${own});
update pg_index set indisunique = true, indisvalid = false where indexrelid = '${schemaOf(table)}.${name}'::regclass;`;
  }
}

const schemaOf = ({ schema }: Table) => quote(schema);

/** A NOT NULL of which Postgres knows that it does not hold for all rows that a query finds. */
function claim(table: Table, column: string, claimed: NonNullable<Column['claimed']>): string {
  const constraint = `add constraint ${quote(`${column}_claimed`)} not null ${quote(column)}`;
  const only = `alter table only ${tableSql(table)}`;
  return claimed === 'own rows'
    ? sinceVersion(18, `${only} ${constraint} no inherit`, `${only} alter ${quote(column)} set not null`)
    : sinceVersion(18, `alter table ${tableSql(table)} ${constraint} not valid`, 'select 1');
}

/** One statement or another, by the server's version. */
function sinceVersion(version: number, statement: string, before: string): string {
  const run = (text: string) => `execute '${text.replaceAll("'", "''")}'`;
  return `do $do$ begin if current_setting('server_version_num')::int >= ${version}0000 then ${run(statement)}; else ${run(before)}; end if; end $do$;`;
}

function createView(project: Project, view: Table): string {
  const { table, notNull, outer } = view.view!;
  const base = tableNamed(project, table);
  const columns = view.columns.map(({ name }) => {
    const other = outer?.shown[name];
    return other === undefined ? `b.${quote(name)}` : `o.${quote(other)} as ${quote(name)}`;
  });
  const joined = outer
    ? ` left join ${tableSql(tableNamed(project, outer.table))} o on b.${quote(outer.on[0])} = o.${quote(outer.on[1])}`
    : '';
  const where = notNull === undefined ? '' : ` where b.${quote(notNull)} is not null`;
  const order = ownOrder(view);
  const sorted = order ? ` order by ${quote(order.column)} ${order.direction.replaceAll('_', ' ')}` : '';
  return `create ${view.kind} ${tableSql(view)} as select ${columns.join(', ')} from ${tableSql(base)} b${joined}${where}${sorted};
${view.keys.map((key, index) => addKey(view, key, index)).join('\n')}`;
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
