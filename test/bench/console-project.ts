/**
 * huge-schema with every table tracked: 1,749 tables and views by 94 roles, with 33,000 permissions. The project itself tracks 250.
 * Each of the other tables, by name, takes over the permissions of one of those 250, in turn: the roles, operations, limits and aggregations are theirs,
 * the columns are all of its own, and a row rule becomes a comparison of its first column with a session variable.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { type Project, sharedProject } from './project.ts';

interface Entry {
  readonly table: TableName;
  readonly [key: `${string}_permissions`]: readonly Permission[] | undefined;
}

interface TableName {
  readonly schema: string;
  readonly name: string;
}

interface Permission {
  readonly role: string;
  readonly permission: {
    readonly columns?: readonly string[];
    readonly filter?: object;
    readonly check?: object | null;
  };
}

/** Types that every rule can compare with a session variable. */
const COMPARED = ['integer', 'bigint', 'text', 'character varying', 'uuid', 'boolean', 'date'];
const TABLES = `
  select c.table_schema as schema, c.table_name as name,
    json_agg(json_build_object('name', column_name, 'type', data_type) order by ordinal_position) as columns
  from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
  where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    and column_name ~ '^[_a-zA-Z][_0-9a-zA-Z]*$'
  group by 1, 2
  order by 1, 2`;

interface Found extends TableName {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** @param file where its metadata is written */
export async function trackEveryTable(file: string, databaseUrl: string): Promise<Project> {
  const project = sharedProject('huge-schema');
  const metadata = JSON.parse(readFileSync(project.metadata, 'utf8'));
  const tracked: readonly Entry[] = metadata.sources[0].tables;
  const known = new Set(tracked.map(({ table }) => keyOf(table)));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Found>(TABLES);
  await client.end();
  const others = rows.filter((table) => !known.has(keyOf(table)));
  metadata.sources[0].tables = [
    ...tracked,
    ...others.map((table, index) => entryLike(tracked[index % tracked.length]!, table)),
  ];
  writeFileSync(file, JSON.stringify(metadata));
  return { ...project, metadata: file };
}

function entryLike(model: Entry, { schema, name, columns }: Found): Entry {
  const names = columns.map((column) => column.name);
  const compared = columns.find(({ type }) => COMPARED.includes(type));
  const ruleLike = (rule: object | null | undefined) =>
    rule && Object.keys(rule).length > 0 && compared ? { [compared.name]: 'X-Engine-User-Id' } : {};
  const permissions = Object.entries(model).filter(([key]) => key.endsWith('_permissions'));
  return {
    table: { schema, name },
    ...Object.fromEntries(
      permissions.map(([key, list]) => [
        key,
        (list as readonly Permission[]).map(({ role, permission }) => ({
          role,
          permission: {
            ...permission,
            columns: names,
            filter: ruleLike(permission.filter),
            ...(permission.check !== undefined && { check: ruleLike(permission.check) }),
          },
        })),
      ]),
    ),
  };
}

function keyOf({ schema, name }: TableName): string {
  return JSON.stringify([schema, name]);
}
