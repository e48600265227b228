/**
 * SQL that records writes in a source's own database: a table of changes, and for each table a function with four statement
 * triggers that fill it. Nothing is recorded while no server listens: a sequence, which every transaction sees as it is at the
 * moment, holds the time until which one does.
 * @rule What is recorded of a write?
 */
import { createHash } from 'node:crypto';
import { quoteIdentifier, quoteLiteral } from '../../core/sql/fragment.ts';
import { OWN_SCHEMA } from '../own-objects.ts';

/** A table whose writes are recorded. */
export interface CapturedTable {
  readonly schema: string;
  readonly name: string;
  /** Columns whose values are recorded, so that only live queries with these values are read again. */
  readonly keys: readonly string[];
}

/** Rows of one statement whose keys are recorded; beyond that it counts as a write of any row. */
const MAX_KEYS = 100;

/** The objects that all tables share. May run again. */
export const CAPTURE_TABLES = `${OWN_SCHEMA}
create unlogged table if not exists engine_catalog.live_changes (
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  keys jsonb
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
create index if not exists live_changes_xid on engine_catalog.live_changes (xid);
-- Seconds since 1970. An unlogged sequence takes no transaction number when it is set, so idle databases stay idle.
do $do$ begin
  if current_setting('server_version_num')::int >= 150000 then
    create unlogged sequence if not exists engine_catalog.live_until minvalue 0 start 0;
  else
    create sequence if not exists engine_catalog.live_until minvalue 0 start 0;
  end if;
end $do$;`;

/** Removes them; the functions and triggers of tables go first. */
export const DROP_CAPTURE_TABLES = `drop table if exists engine_catalog.live_changes;
drop sequence if exists engine_catalog.live_until;`;

/** Prefix of the functions. */
const FUNCTION = 'live ';

const EVENTS = {
  insert: 'referencing new table as new_rows ',
  update: 'referencing old table as old_rows new table as new_rows ',
  delete: 'referencing old table as old_rows ',
  truncate: '',
} as const;

function triggerName(event: string): string {
  return `engine_live_${event}`;
}

/** Name of a table's function: readable, and within the 63 bytes of an identifier. */
function functionName({ schema, name }: CapturedTable): string {
  const full = `${FUNCTION}${schema}.${name}`;
  if (Buffer.byteLength(full) <= 63) return quoteIdentifier('engine_catalog', full);
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 16);
  return quoteIdentifier('engine_catalog', `${FUNCTION}${hash}`);
}

/** Temporary tables come last: the session that writes may make some that are called like those of PostgreSQL. */
const SETTINGS = 'set search_path = pg_catalog, pg_temp';

/**
 * Statements that have a table's writes recorded; each may run again. The function runs with the rights of its owner, so the
 * writer needs none. A write never fails because it is recorded: where keys cannot be read, it counts as a write of any row.
 * @param canReplace PostgreSQL 13 cannot replace triggers
 */
export function captureStatements(table: CapturedTable, canReplace = true): readonly string[] {
  const relation = quoteIdentifier(table.schema, table.name);
  const call = `${functionName(table)}()`;
  return [
    `create or replace function ${call} returns trigger
language plpgsql security definer ${SETTINGS} as ${dollarQuoted(body(table.keys))}`,
    ...Object.entries(EVENTS).map(([event, rows]) => {
      const name = triggerName(event);
      const create = canReplace
        ? 'create or replace'
        : `drop trigger if exists ${name} on ${relation}; create`;
      return `${create} trigger ${name} after ${event} on ${relation} ${rows}for each statement execute function ${call}`;
    }),
    ...Object.keys(EVENTS).map(
      (event) => `alter table only ${relation} enable always trigger ${triggerName(event)}`,
    ),
  ];
}

/** The statement that ends the recording of a table. */
export function releaseStatement(table: Omit<CapturedTable, 'keys'>): string {
  return `drop function if exists ${functionName({ ...table, keys: [] })}() cascade`;
}

function body(keys: readonly string[]): string {
  // PL/pgSQL evaluates this without a statement, unlike a subquery: writes take a third of the time while no server listens.
  const listens = `  if not coalesce(pg_sequence_last_value('engine_catalog.live_until'::regclass)
    >= extract(epoch from clock_timestamp()), false) then
    return null;
  end if;`;
  if (keys.length === 0)
    return `begin
${listens}
  insert into engine_catalog.live_changes (relation) values (tg_relid);
  return null;
end`;
  // With the table's name, because a column may be called like a variable of PL/pgSQL.
  const columns = (rows: string) => keys.map((key) => `${rows}.${quoteIdentifier(key)}::text`).join(', ');
  const names = keys.map((_, index) => `k${index + 1}`);
  const values = keys.map(
    (key, index) => `${quoteLiteral(key)}, jsonb_agg(distinct touched.${names[index]})`,
  );
  const read = (
    rows: string,
  ) => `select count(*), case when count(*) <= ${MAX_KEYS} then jsonb_build_object(${values.join(', ')}) end
      into engine_count, engine_keys
      from (${rows} limit ${MAX_KEYS + 1}) as touched (${names.join(', ')});`;
  const from = (rows: string) => `select ${columns(rows)} from ${rows}`;
  // The block that catches errors (a column was dropped, a value is too large) writes nothing, so it takes no transaction number.
  return `declare
  engine_count bigint;
  engine_keys jsonb;
begin
${listens}
  begin
    if tg_op = 'INSERT' then
      ${read(from('new_rows'))}
    elsif tg_op = 'UPDATE' then
      ${read(`${from('old_rows')} union all ${from('new_rows')}`)}
    elsif tg_op = 'DELETE' then
      ${read(from('old_rows'))}
    end if;
  exception when others then
    engine_count := null;
    engine_keys := null;
  end;
  if engine_count is distinct from 0 then
    insert into engine_catalog.live_changes (relation, keys) values (tg_relid, engine_keys);
  end if;
  return null;
end`;
}

function dollarQuoted(text: string): string {
  let tag = '$engine$';
  for (let number = 1; text.includes(tag); number += 1) tag = `$engine_${number}$`;
  return `${tag}\n${text}\n${tag}`;
}

/**
 * Tables whose writes are completely recorded, with a text that changes when their triggers do, or their own
 * definition: that may rewrite rows. A subscription of logical
 * replication applies rows without statement triggers.
 */
export const READ_COMPLETE = `select t.tgrelid::text, string_agg(t.oid || ' ' || t.xmin::text || ' ' || c.xmin::text, ',' order by t.oid)
  from pg_proc as p join pg_trigger as t on t.tgfoid = p.oid join pg_class as c on c.oid = t.tgrelid
  where p.pronamespace = (select oid from pg_namespace where nspname = 'engine_catalog') and p.proname like '${FUNCTION}%'
    and t.tgenabled = 'A' and t.tgname in (${Object.keys(EVENTS)
      .map((event) => quoteLiteral(triggerName(event)))
      .join(', ')})
    and not exists (select from pg_subscription_rel as s where s.srrelid = t.tgrelid)
  group by t.tgrelid having count(*) = ${Object.keys(EVENTS).length}`;
