/** Random SQL for run_sql: what a migration does to tables, columns and functions. */
import type { CatalogTable, SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { Drawing } from './random-operation.ts';

/** Arguments of a run_sql on source `default`. */
export function randomSql({ random, state }: Drawing): JsonObject {
  const catalog = state.catalogs.default as SourceCatalog;
  const tables: readonly Pick<CatalogTable, 'name' | 'columns'>[] = catalog.tables.filter(
    ({ schema }) => schema === 'public',
  );
  const table = tables.length > 0 ? random.pick(tables) : { name: 'none', columns: [] };
  const column = quote(table.columns.length > 0 ? random.pick(table.columns).name : 'none');
  const name = quote(table.name);
  const fresh = quote(
    random.chance(0.8) ? `n${random.below(5)}` : random.pick(['true', '__x', '_or', 'jsonb', 'Int']),
  );
  const sql = random.pick([
    `alter table ${name} rename column ${column} to ${random.chance(0.7) ? fresh : 'articles'}`,
    `alter table ${name} rename column ${column} to ${fresh}`,
    `alter table ${name} rename to ${fresh}`,
    `alter table ${name} drop column ${column}`,
    `alter table ${name} drop column ${column} cascade`,
    `alter table ${name} add column ${fresh} int`,
    `alter table ${name} alter column ${column} type text`,
    // Rules of other tables compare it with the session.
    `alter table author alter column name type ${random.pick(['varchar(9)', 'varchar', 'text', 'name'])}`,
    `alter table author alter column name type ${random.pick(['varchar(9)', 'varchar', 'text', 'name'])}`,
    `alter table ${name} drop constraint ${quote(`${table.name}_author_id_fkey`)}`,
    `drop table ${name}`,
    `drop table ${name} cascade`,
    `create table ${fresh} (id int primary key, name text)`,
    `drop function search_article`,
    `drop function author_label`,
    `alter function one_author rename to an_author`,
    `create or replace function search_article(needle text) returns setof article volatile language sql as 'select * from article'`,
    `create function search_article(needle int) returns setof article stable language sql as 'select * from article'`,
    `comment on table ${name} is 'said'`,
    `alter table ${name} drop column ${column} cascade; select broken from nowhere`,
  ]);
  // The check is always asked for: without it, what is served is allowed to lag behind the database.
  return { sql, check_metadata_consistency: true, cascade: random.chance(0.5) };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
