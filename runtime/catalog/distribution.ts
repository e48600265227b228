/** How a Citus cluster distributes the tables of a database: read in separate statements, where the extension is installed. */
import { objectKey } from '../core/names.ts';
import type { Distribution, FunctionReach, TableDistribution } from '../core/shards/shapes.ts';
import type { Catalog, CatalogTable } from './catalog.ts';
import type { RunQuery } from './introspect.ts';
import { sortedRecord } from './order.ts';
import type { RawCatalog } from './raw-catalog.ts';
import { type RawReach, type Reach, reachIn, reachStatement } from './reach.ts';
import type { ReadBody } from './sql-body.ts';

/** Any role may read these catalogs. */
const partitions = `
    select
      p.logicalrelid::oid as oid, n.nspname as schema, c.relname as name, p.partmethod::text as method,
      p.repmodel::text as replication, p.colocationid::int8 as colocation,
      case when p.partmethod = 'h' then pg_catalog.column_to_column_name(p.logicalrelid::oid, p.partkey::text) end as by
    from pg_catalog.pg_dist_partition p
    join pg_catalog.pg_class c on c.oid = p.logicalrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace`;

/**
 * One text of all that decides the SQL of a source. Numbers of colocation groups differ between clusters: a group is its first
 * table. Fails where the extension is not in the database.
 */
export const fingerprintStatement = `
  select
    pg_catalog.md5(coalesce(pg_catalog.string_agg(t.fact, ' ' order by t.fact collate "C"), '')) as fingerprint
  from (
    select
      pg_catalog.json_build_array(
        s.schema, s.name, s.method, s.replication, s.by,
        case
          when s.colocation > 0 then
            pg_catalog.min(pg_catalog.concat_ws('.', s.schema, s.name) collate "C") over (partition by s.colocation)
        end
      )::text as fact
    from (${partitions}
    ) s
  ) t`;

/** Whether the cluster distributes tables otherwise than when the catalog was read. Databases without the extension are not queried. */
export async function isSpreadOtherwise(query: RunQuery, { distribution }: Catalog): Promise<boolean> {
  if (!distribution) return false;
  return (await query(fingerprintStatement)).rows[0]?.fingerprint !== distribution.fingerprint;
}

interface PartitionRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly method: string;
  readonly replication: string;
  readonly colocation: string | number;
  readonly by: string | null;
}

/**
 * undefined without the extension. Fails only as the connection fails.
 * @param readBody absent: functions whose body is a text are said not to be read
 */
export async function readDistribution(
  query: RunQuery,
  raw: RawCatalog,
  catalog: Catalog,
  readBody: ReadBody | undefined,
): Promise<Distribution | undefined> {
  if (!catalog.extensions.some(({ name }) => name === 'citus')) return undefined;
  const { rows } = await query(fingerprintStatement);
  const fingerprint = String(rows[0]!.fingerprint);
  const spread = (await query(`${partitions} order by 2, 3`)).rows as unknown as readonly PartitionRow[];
  if (spread.length === 0) return { tables: {}, fingerprint };
  const reach = JSON.parse(String((await query(reachStatement)).rows[0]!.reach)) as RawReach;
  return { ...describe(raw, catalog, spread, reachIn(raw, reach, readBody)), fingerprint };
}

/** Where rows are: in shards, in copies that functions see empty, or in a plain table of the coordinator. */
type Place = 'shards' | 'copies' | 'coordinator';

function describe(
  raw: RawCatalog,
  catalog: Catalog,
  rows: readonly PartitionRow[],
  reach: (start: `${'r' | 'f' | 'p' | 'w'}${number}`) => Reach,
): Pick<Distribution, 'tables' | 'functions'> {
  const partitioned = new Map(rows.map((row) => [Number(row.oid), row]));
  const tables = new Map(catalog.tables.map((table) => [table.oid, table]));
  const keys = new Map(raw.relations.map(({ oid, schema, name }) => [oid, objectKey(schema, name)]));
  const own = new Map<number, TableDistribution>();
  for (const [oid, table] of tables) {
    const row = partitioned.get(oid);
    const distribution = row && distributionOf(row, table);
    if (distribution) own.set(oid, distribution);
  }
  const placeOf = (oid: number): Place => {
    const kind = own.get(oid)?.kind;
    if (kind === 'distributed' || kind === 'single') return 'shards';
    return partitioned.has(oid) ? 'copies' : 'coordinator';
  };
  const reaches = new Map<number, FunctionReach | undefined>();
  for (const { oid } of raw.routines) reaches.set(oid, functionReach(reach(`f${oid}`), placeOf, keys));
  const refused = (found: Reach) =>
    found.unread ??
    [...found.functions]
      .map((oid) => reaches.get(oid))
      .find((each) => each !== undefined && each.alone === undefined)?.why;
  const anyReach = (found: Reach) =>
    refused(found) ?? [...found.functions].map((oid) => reaches.get(oid)).find((each) => each)?.why;
  const described = catalog.tables.flatMap((table): [string, TableDistribution][] => {
    const { oid, schema, name, kind } = table;
    const found = kind === 'view' ? ofView(table, reach(`r${oid}`)) : ofTable(oid);
    return found ? [[objectKey(schema, name), found]] : [];
  });
  return {
    tables: sortedRecord(described),
    ...functionsOf(raw, reaches),
  };

  function ofTable(oid: number): TableDistribution | undefined {
    const distribution = own.get(oid);
    const policies = reach(`p${oid}`);
    const other = policies.relations.find((each) => distribution || placeOf(each.oid) !== 'coordinator');
    const why =
      (distribution ? anyReach(policies) : refused(policies)) ?? (other && `reads ${keys.get(other.oid)}`);
    if (why !== undefined)
      return { kind: 'refused', why: `has a row security policy that looks elsewhere: ${why}` };
    if (distribution?.kind === 'refused') return distribution;
    const unwritable = distribution && anyReach(reach(`w${oid}`));
    if (distribution) return { ...distribution, ...(unwritable !== undefined && { unwritable }) };
    const below = reach(`r${oid}`).relations.find((each) => placeOf(each.oid) === 'shards');
    return below && { kind: 'refused', why: `has rows of ${keys.get(below.oid)}, which is distributed` };
  }

  /** It is where its tables are, and fixed by a column that shows a distribution column. */
  function ofView({ columns }: CatalogTable, found: Reach): TableDistribution | undefined {
    const why = refused(found);
    if (why !== undefined) return { kind: 'refused', why: `calls a function that cannot be called: ${why}` };
    const direct = found.relations.filter(({ by }) => by === undefined).map(({ oid }) => oid);
    const read = direct.flatMap((oid) => own.get(oid) ?? []);
    const [first] = read.filter(isSharded);
    if (!first) return undefined;
    const local = found.relations.find(({ oid }) => !own.has(oid));
    if (local)
      return {
        kind: 'refused',
        why: `reads tables with shards and ${keys.get(local.oid)}, which is stored on the coordinator only`,
      };
    const apart = read.filter(isSharded).find((each) => each.group !== first.group);
    if (apart) return { kind: 'refused', why: 'reads tables of different colocation groups' };
    if (first.kind === 'single') return { kind: 'single', group: first.group };
    const by = columns.find(({ origin }) => {
      const table =
        origin && catalog.tables.find((each) => each.schema === origin.schema && each.name === origin.name);
      const shown = table && own.get(table.oid);
      return shown?.kind === 'distributed' && shown.by === origin!.column;
    });
    return { kind: 'distributed', ...(by && { by: by.name }), group: first.group };
  }
}

type Sharded = Extract<TableDistribution, { readonly group: number }>;

function isSharded(distribution: TableDistribution): distribution is Sharded {
  return 'group' in distribution;
}

/**
 * A function in SQL is put into the statement that calls it, and what is put in reads the empty tables that shards and copies have on the
 * coordinator. Other languages plan each of their statements; these fail where a worker runs them.
 */
function functionReach(
  { relations, unread }: Reach,
  placeOf: (oid: number) => Place,
  keys: ReadonlyMap<number, string>,
): FunctionReach | undefined {
  if (unread !== undefined) return { why: unread };
  const words = ({ oid, by }: Reach['relations'][number]) =>
    `${by ? `${objectKey(by.schema, by.name)} reads ` : ''}${keys.get(oid)}`;
  const wrong = relations.find(({ oid, by }) => {
    const place = placeOf(oid);
    return place === 'shards' || (place === 'copies' && by?.language !== 'plpgsql');
  });
  if (wrong) return { why: words(wrong) };
  const [first] = relations;
  return first && { why: words(first), alone: true };
}

/** By key: overloads together, the worst of them. */
function functionsOf(
  { routines }: RawCatalog,
  reaches: ReadonlyMap<number, FunctionReach | undefined>,
): Pick<Distribution, 'functions'> {
  const found = new Map<string, FunctionReach>();
  for (const { oid, schema, name } of routines) {
    const reach = reaches.get(oid);
    const key = objectKey(schema, name);
    if (reach && (!found.has(key) || !reach.alone)) found.set(key, reach);
  }
  return found.size > 0 ? { functions: sortedRecord(found) } : {};
}

/** Methods: `h` by hash, `n` none. Without one a table is a copy on each node, one shard in a group, or local. */
function distributionOf(row: PartitionRow, table: CatalogTable): TableDistribution | undefined {
  const group = Number(row.colocation);
  if (row.method === 'h' && row.by !== null) {
    const generated = table.columns.some(({ name, hasDefault }) => name === row.by && hasDefault);
    return { kind: 'distributed', by: row.by, group, ...(generated && { generated }) };
  }
  if (row.method !== 'n')
    return { kind: 'refused', why: 'is distributed in another way than by hash: by range or append' };
  if (row.replication === 't') return { kind: 'reference' };
  return row.replication === 's' && group > 0 ? { kind: 'single', group } : undefined;
}
