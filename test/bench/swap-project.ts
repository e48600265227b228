/** What is served while its permissions change: a shared project, or generated tables of which each role may use one in five. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Json, JsonObject } from '../../runtime/metadata/metadata.ts';
import { sharedProject } from './project.ts';

export interface SwapProject {
  readonly name: string;
  readonly fill: (databaseUrl: string) => Promise<void>;
  /** Tables of the source `default`, with everything that belongs to them. */
  readonly tables: readonly JsonObject[];
}

const ROLES = 20;
const ONE_IN = 5;
const columns = ['id', 'owner_id', 'parent_id', 'kind', 'note', 'created_at'];

/** Tables with permissions of 20 roles, one in five, for all four operations. */
export function generatedProject(count: number): SwapProject {
  return {
    name: `${count} tables x ${ROLES} roles`,
    fill: (databaseUrl) => createTables(databaseUrl, count),
    tables: Array.from({ length: count }, (_, index) => tableEntry(index, count)),
  };
}

/** A project of the folder beside the checkout. */
export function sharedSwapProject(name: string): SwapProject {
  const { metadata, fill } = sharedProject(name);
  const { sources } = JSON.parse(readFileSync(metadata, 'utf8')) as {
    readonly sources: readonly { readonly tables: readonly JsonObject[] }[];
  };
  return { name, fill, tables: sources[0]!.tables };
}

/** A permission that can be dropped and created again, and a query that needs it. */
export interface SwappedPermission {
  readonly table: Json;
  readonly role: string;
  readonly permission: Json;
  readonly query: string;
}

/** The first select permission whose table is called as the database calls it. */
export function swappedPermission({ tables }: SwapProject): SwappedPermission {
  for (const { table, configuration, select_permissions: permissions } of tables) {
    const { schema, name } = table as { schema: string; name: string };
    const first = (permissions as { role: string; permission: JsonObject }[] | undefined)?.[0];
    const [column] = (first?.permission.columns ?? []) as string[];
    if (!first || !column || column === '*' || configuration !== undefined) continue;
    const field = schema === 'public' ? name : `${schema}_${name}`;
    return {
      table: table!,
      role: first.role,
      permission: first.permission,
      query: `{ ${field} { ${column} } }`,
    };
  }
  throw new Error('no table has a plain select permission');
}

async function createTables(databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let index = 0; index < count; index += 1) {
    await client.query(
      `create table ${tableName(index)} (id int primary key, owner_id int, parent_id int, kind text, note text, created_at timestamptz)`,
    );
  }
  await client.query(`insert into ${tableName(0)} select n, 1, 1, 'a' from generate_series(1, 5) n`);
  await client.end();
}

function tableName(index: number): string {
  return `t_${String(index).padStart(4, '0')}`;
}

function tableEntry(index: number, count: number): JsonObject {
  const filter = { owner_id: { _eq: 'X-Engine-User-Id' }, parent: { kind: { _eq: 'a' } } };
  const roles = Array.from({ length: ROLES }, (_, role) => role).filter(
    (role) => (index + role) % ONE_IN === 0,
  );
  const permissions = (permission: JsonObject) => roles.map((role) => ({ role: `role_${role}`, permission }));
  const select = {
    columns,
    filter: { _not: { owner_id: { _eq: 0 } } },
    limit: 100,
    allow_aggregations: true,
  };
  return {
    table: { schema: 'public', name: tableName(index) },
    object_relationships: [
      {
        name: 'parent',
        using: {
          manual_configuration: {
            remote_table: { schema: 'public', name: tableName((index + 1) % count) },
            column_mapping: { parent_id: 'id' },
          },
        },
      },
    ],
    select_permissions: permissions(select),
    insert_permissions: permissions({ columns, check: filter }),
    update_permissions: permissions({ columns: ['kind', 'note'], filter, check: filter }),
    delete_permissions: permissions({ filter }),
  };
}
