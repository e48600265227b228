/** How the tables of a database are spread over a Citus cluster: read where the extension is there, in a statement of its own. */
import { objectKey } from '../core/names.ts';
import type { Distribution, TableDistribution } from '../core/shards/shapes.ts';
import type { Catalog, CatalogTable } from './catalog.ts';
import type { Query } from './introspect.ts';
import { compareText } from './order.ts';

/** Any role may read these catalogs. Tables first; `body` is null for functions of a language that is not read. */
const distributionStatement = `
  select
    n.nspname as schema, c.relname as name, p.partmethod::text as method, p.repmodel::text as replication,
    p.colocationid::int8 as colocation,
    case when p.partmethod = 'h' then pg_catalog.column_to_column_name(p.logicalrelid::oid, p.partkey::text) end as by
  from pg_catalog.pg_dist_partition p
  join pg_catalog.pg_class c on c.oid = p.logicalrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  order by 1, 2`;

/** Functions of the database whose body is SQL or PL/pgSQL text, or in a language in which anything may be written. */
const bodiesStatement = `
  select
    n.nspname as schema, p.proname as name, l.lanname as language,
    p.prosrc || coalesce((
      select pg_catalog.string_agg(' from ' || c.relname, '')
      from pg_catalog.pg_depend d
      join pg_catalog.pg_class c on c.oid = d.refobjid
      where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    ), '') as body
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_language l on l.oid = p.prolang
  where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'engine_catalog')
    and l.lanname not in ('internal', 'c') and p.prokind = 'f'
  order by 1, 2`;

interface PartitionRow {
  readonly schema: string;
  readonly name: string;
  readonly method: string;
  readonly replication: string;
  readonly colocation: string | number;
  readonly by: string | null;
}

interface BodyRow {
  readonly schema: string;
  readonly name: string;
  readonly language: string;
  readonly body: string;
}

/** undefined without the extension, and where no table is spread. Fails only as the connection fails. */
export async function readDistribution(query: Query, catalog: Catalog): Promise<Distribution | undefined> {
  if (!catalog.extensions.some(({ name }) => name === 'citus')) return undefined;
  const partitions = (await query(distributionStatement)).rows as unknown as readonly PartitionRow[];
  const known = new Map(catalog.tables.map((table) => [objectKey(table.schema, table.name), table]));
  const tables: Record<string, TableDistribution> = {};
  for (const row of partitions) {
    const key = objectKey(row.schema, row.name);
    const table = known.get(key);
    const distribution = table && distributionOf(row, table);
    if (distribution) tables[key] = distribution;
  }
  if (Object.keys(tables).length === 0) return undefined;
  const bodies = (await query(bodiesStatement)).rows as unknown as readonly BodyRow[];
  const functions = readingFunctions(bodies, namesRead(catalog, tables));
  return { tables, ...(functions.length > 0 && { functions }) };
}

/** Methods: `h` by hash, `n` none. Without one a table is a copy on each node, one shard in a group, or local. */
function distributionOf(row: PartitionRow, table: CatalogTable): TableDistribution | undefined {
  const group = Number(row.colocation);
  if (row.method === 'h' && row.by !== null) {
    const generated = table.columns.some(({ name, hasDefault }) => name === row.by && hasDefault);
    return { kind: 'distributed', by: row.by, group, ...(generated && { generated }) };
  }
  if (row.method !== 'n') return undefined;
  if (row.replication === 't') return { kind: 'reference' };
  return row.replication === 's' && group > 0 ? { kind: 'single', group } : undefined;
}

/** Names of the tables that are spread, and of views that read them. Copies on each node are as other tables. */
function namesRead({ tables }: Catalog, spread: Readonly<Record<string, TableDistribution>>): Set<string> {
  const isSpread = (key: string) => Object.hasOwn(spread, key) && spread[key]!.kind !== 'reference';
  return new Set(
    tables
      .filter(
        ({ schema, name, reads = [] }) =>
          isSpread(objectKey(schema, name)) ||
          reads.some((read) => isSpread(objectKey(read.schema, read.name))),
      )
      .map(({ name }) => name.toLowerCase()),
  );
}

/**
 * Functions whose body names one of the relations where a relation can be named, or calls a function that does, or builds its
 * SQL while it runs. A row of a table that is handed on as an argument may be taken for the table: such a function is refused
 * without need, and none that reads is let through.
 */
function readingFunctions(bodies: readonly BodyRow[], names: ReadonlySet<string>): string[] {
  const reading = new Set<BodyRow>();
  const called = new Set<string>();
  const relations = new RegExp(
    String.raw`(?:\b(?:from|join|into|update|using|only|table|truncate|lock|copy)\b|[,(])\s*(?:(?:[\w$]+|"[^"]*")\s*\.\s*)?"?(?:${[...names].map(escaped).join('|')})"?(?![\w$"]|\s*\.)`,
  );
  const texts = bodies.map(({ body }) => body.toLowerCase().replace(/--[^\n]*|\/\*.*?\*\//gs, ' '));
  const words = texts.map((text) => new Set(text.match(/[\w$]+/g)));
  for (let before = -1; before < reading.size; ) {
    before = reading.size;
    for (const [index, each] of bodies.entries()) {
      const isText = each.language === 'sql' || each.language === 'plpgsql';
      const calls = [...words[index]!].some((word) => called.has(word));
      if (isText && !calls && !words[index]!.has('execute') && !relations.test(texts[index]!)) continue;
      reading.add(each);
      called.add(each.name.toLowerCase());
    }
  }
  return [...new Set([...reading].map(({ schema, name }) => objectKey(schema, name)))].sort(compareText);
}

function escaped(name: string): string {
  return name.replace(/[^\w]/g, String.raw`\$&`);
}
