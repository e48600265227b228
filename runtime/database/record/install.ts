/** Installs and removes what records writes (schema.ts), and says what is installed. */

import { setTimeout as delay } from 'node:timers/promises';
import type { QualifiedName } from '../../core/names.ts';
import { quoteIdentifier } from '../../core/sql/fragment.ts';
import { namingOwnObjects } from '../own-objects.ts';
import type { QueryClient } from '../query-client.ts';
import { READ_THROUGH } from '../read-through.ts';
import {
  CAPTURE_TABLES,
  type CapturedTable,
  captureStatements,
  DROP_CAPTURE_TABLES,
  READ_COMPLETE,
  releaseStatement,
} from './schema.ts';

export interface CaptureStatus extends CapturedTable {
  /** Every write is recorded. */
  readonly complete: boolean;
}

/** Maximum milliseconds that creating a trigger waits for writers of its table. New writers queue behind it. */
const LOCK_TIMEOUT = 1000;
const ATTEMPTS = 20;
/** Maximum columns whose values are recorded. */
const MAX_COLUMNS = 8;

/**
 * The tables behind tables and views: views are followed to what they read, and partitions and heirs to their relatives,
 * because a statement trigger fires only for the table that a statement names. Keys are the columns that lead an index or
 * belong to a foreign key, of types whose equality is that of their texts.
 */
const READ_TABLES = `with recursive reached (oid) as (
  select c.oid from unnest($1::text[], $2::text[]) as named (schema, name)
  join pg_namespace as n on n.nspname = named.schema
  join pg_class as c on c.relnamespace = n.oid and c.relname = named.name
  union
  select next.oid from reached as r cross join lateral (
    ${READ_THROUGH}
  ) as next (oid)
), complete (oid) as (
  select c.oid::oid from (${READ_COMPLETE}) as c (oid, triggers)
)
select n.nspname as schema, c.relname as name, c.oid in (select oid from complete) as complete, array(
  select a.attname::text from pg_attribute as a left join pg_collation as l on l.oid = a.attcollation
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and coalesce(l.collisdeterministic, true)
    and a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype)
    and (exists (select from pg_index as i where i.indrelid = c.oid and i.indkey[0] = a.attnum)
      or exists (select from pg_constraint as f where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey)))
  order by a.attnum limit ${MAX_COLUMNS}) as keys
from reached as r join pg_class as c on c.oid = r.oid join pg_namespace as n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.oid >= 16384 and c.relpersistence <> 't' order by 1, 2`;

/** The tables that tracked tables and views read, and whether their writes are recorded. */
export async function captureStatus(
  client: QueryClient,
  tracked: readonly QualifiedName[],
): Promise<readonly CaptureStatus[]> {
  const names = [tracked.map(({ schema }) => schema), tracked.map(({ name }) => name)];
  return (await client.query(READ_TABLES, names)).rows;
}

/** The statements of an installation, in order; each table's are one transaction. */
export function installStatements(tables: readonly CapturedTable[]): readonly string[] {
  return [CAPTURE_TABLES, ...tables.flatMap((table) => captureStatements(table))];
}

/** The statements that remove what is installed. */
export function removeStatements(tables: readonly QualifiedName[]): readonly string[] {
  return [...tables.map(releaseStatement), DROP_CAPTURE_TABLES];
}

/**
 * Installs it table by table, so that no more than one is locked at a time, and none for more than a second while others
 * write to it: such a table is tried again.
 * @throws what the database reports; tables before the failing one stay installed
 */
export async function installCapture(
  client: QueryClient,
  tables: readonly CapturedTable[],
  progress: (table: CapturedTable) => void = () => {},
): Promise<void> {
  const { rows } = await client.query("select current_setting('server_version_num')::int as version");
  const canReplace = rows[0].version >= 140_000;
  await transaction(client, [CAPTURE_TABLES]);
  for (const table of tables) {
    progress(table);
    await transaction(client, captureStatements(table, canReplace));
  }
}

/** Removes it from every table that has it, tracked or not. @returns names of the tables */
export async function removeCapture(client: QueryClient): Promise<readonly string[]> {
  const { rows } = await client.query(`select p.oid::regprocedure::text as function, array(
      select distinct t.tgrelid::regclass::text from pg_trigger as t where t.tgfoid = p.oid) as tables
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = 'engine_catalog' and p.proname like 'live %' and p.prorettype = 'trigger'::regtype order by 1`);
  for (const { function: name } of rows) await transaction(client, [`drop function ${name} cascade`]);
  const schema = await client.query("select to_regnamespace('engine_catalog') is not null as has");
  if (schema.rows[0].has) await transaction(client, [DROP_CAPTURE_TABLES]);
  return rows.flatMap(({ tables }: { tables: string[] }) => tables);
}

async function transaction(connection: QueryClient, statements: readonly string[]): Promise<void> {
  const client = namingOwnObjects(connection);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin isolation level read committed read write');
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT}`);
      await client.query('set local search_path = pg_catalog');
      for (const statement of statements) await client.query(statement);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const isLocked = (error as { code?: string }).code === '55P03';
      if (!isLocked || attempt === ATTEMPTS) throw error;
      await delay(200);
    }
  }
}

/** A table for people. */
export function tableLabel({ schema, name }: QualifiedName): string {
  return schema === 'public' ? name : quoteIdentifier(schema, name).replaceAll('"', '');
}
