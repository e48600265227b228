/** Projects of any size, of which one thing grows. */
import pg from 'pg';
import type { CompileInput } from '../../../compiler/index.ts';
import type { EmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';

export interface GrowingProject {
  readonly sql: string;
  /** Entries of the source's tables, and of its functions. */
  readonly tables: readonly JsonObject[];
  readonly functions?: readonly JsonObject[];
  /** Everything beside the sources. */
  readonly rest?: JsonObject;
}

export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

export const table = (name: string): JsonObject => ({ schema: 'public', name });

const COLUMNS = ['id', 'owner_id', 'parent_id', 'kind', 'note'];
const TABLE = 'id int primary key, owner_id int, parent_id int, kind text, note text';

/** A table with a parent, and all four permissions of each role. */
export function tableEntry(name: string, parent: string, roles: readonly string[]): JsonObject {
  const filter: Json = { owner_id: { _eq: 'X-Engine-User-Id' }, parent: { kind: { _eq: 'a' } } };
  const permissions = (permission: JsonObject) => roles.map((role) => ({ role, permission }));
  return {
    table: table(name),
    object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
    array_relationships: [
      {
        name: 'children',
        using: { foreign_key_constraint_on: { table: table(parent), column: 'parent_id' } },
      },
    ],
    select_permissions: permissions({ columns: COLUMNS, filter, allow_aggregations: true }),
    insert_permissions: permissions({ columns: COLUMNS, check: filter }),
    update_permissions: permissions({ columns: ['kind', 'note'], filter, check: filter }),
    delete_permissions: permissions({ filter }),
  };
}

/** Tables in a ring: each has the one after it as its parent. */
export function ring(tables: number, roles: number): GrowingProject {
  const name = (index: number) => `t_${index % tables}`;
  const names = numbers(roles).map((index) => `role_${index}`);
  return {
    sql: [
      ...numbers(tables).map((index) => `create table ${name(index)} (${TABLE});`),
      ...numbers(tables).map(
        (index) => `alter table ${name(index)} add foreign key (parent_id) references ${name(index + 1)};`,
      ),
    ].join('\n'),
    tables: numbers(tables).map((index) => tableEntry(name(index), name(index + tables - 1), names)),
  };
}

let made = 0;

/** The database of a project, made and read. */
export async function inputOf(project: GrowingProject, postgres: EmbeddedPostgres): Promise<CompileInput> {
  made += 1;
  const url = await postgres.createDatabase(`growth_${made}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(project.sql);
  await client.end();
  const metadata = metadataOf(project);
  const catalog: SourceCatalog = await readDatabase(
    { connectionString: url },
    metadata.sources[0]!.tables.filter(({ is_enum }) => is_enum).map((entry) => entry.table),
    loadReadBody,
  );
  return { metadata, catalogs: { default: catalog } };
}

function metadataOf({ tables, functions = [], rest = {} }: GrowingProject) {
  return readMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: 'postgres://localhost/unused' } },
        tables: [...tables],
        functions: [...functions],
      },
    ],
    ...rest,
  }).value;
}
