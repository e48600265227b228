/**
 * Finds the objects that another engine of the same API family left in a database, by its shape and not by its name: a schema with a log of
 * events, triggers that call functions of that schema, and whatever reads the settings which that engine made.
 */

import type { ClientBase } from 'pg';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';

/** All that was found. Lists are sorted. */
export interface Leftovers {
  /** Schemas that hold the other engine's own tables. */
  readonly schemas: readonly string[];
  /** The word of the other engine's names: of its settings (`WORD.user`), functions (`notify_WORD_…`) and headers. */
  readonly word: string | undefined;
  readonly triggers: readonly LeftTrigger[];
  /** Functions, views, policies, defaults and the like that read its settings or call its functions. */
  readonly readers: readonly DependentObject[];
  readonly undelivered: readonly Undelivered[];
}

/** A trigger on a user's table that calls a function of the other engine: it would go on writing to its log. */
export interface LeftTrigger {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  /** `"schema"."function"`, quoted. */
  readonly function: string;
}

export interface DependentObject {
  readonly kind: (typeof READER_KINDS)[number];
  /** As PostgreSQL prints it: `public.current_account()`, `public.note policy owner`. */
  readonly name: string;
  /** What it names of the other engine: settings and headers of its word, tables and functions of its schemas. */
  readonly reads: readonly ('settings' | 'tables' | 'functions')[];
  /** SQL that makes it as it is, over what is there; for a materialized view, which nothing replaces, that makes it anew. */
  readonly definition: string;
}

/** In the order in which they are settled: others may call the functions. */
const READER_KINDS = [
  'function',
  'view',
  'materialized view',
  'policy',
  'default',
  'constraint',
  'rule',
  'trigger',
] as const;

/** Rows that the other engine accepted and has not worked off. */
interface Undelivered {
  readonly kind: 'event' | 'scheduled event' | 'cron event' | 'asynchronous action';
  /** Event trigger, cron trigger or action; empty for one-off events. */
  readonly name: string;
  readonly count: number;
}

/** The schema of this engine's own tables, which are no leftovers. */
const OWN = 'engine_catalog';

/** Tables by which a schema of the family is known, and columns of each: logs of other programs have the same names. */
const KNOWN = {
  event_log: ['trigger_name', 'delivered', 'error', 'archived'],
  metadata: ['metadata', 'resource_version'],
  action_log: ['action_name', 'input_payload', 'session_variables', 'status'],
  cron_events: ['trigger_name', 'scheduled_time', 'status', 'next_retry_at'],
  scheduled_events: ['webhook_conf', 'scheduled_time', 'status', 'next_retry_at'],
} as const;

/** Reads the catalog and counts rows; changes nothing. @throws Error of the database */
export async function findLeftovers(client: ClientBase, vocabulary: Vocabulary): Promise<Leftovers> {
  // So that PostgreSQL prints every name with its schema, whichever search_path the script is run with.
  await client.query(`set search_path = ''`);
  const tables = await knownTables(client);
  const schemas = [...new Set(tables.map(({ schema }) => schema))].sort();
  const word = await wordOf(client, schemas);
  return {
    schemas,
    word,
    triggers: await triggersOf(client, schemas),
    readers: await readersOf(client, schemas, word, vocabulary),
    undelivered: await undeliveredOf(client, tables),
  };
}

interface KnownTable {
  readonly schema: string;
  /** Its name in KNOWN. */
  readonly table: string;
  /** The table has exactly that name, and none that ends with it. */
  readonly isExact: boolean;
  /** Both names, quoted. */
  readonly quoted: string;
}

async function knownTables(client: ClientBase): Promise<KnownTable[]> {
  const { rows } = await client.query<KnownTable>(
    `with known as (select name, value as field from json_each($1) as known(name, fields), json_array_elements_text(fields))
     select n.nspname as schema, known.name as table, c.relname = known.name as "isExact", format('%I.%I', n.nspname, c.relname) as quoted
     from known
     join pg_class c on (c.relname = known.name or c.relname like '%\\_' || known.name) and c.relkind in ('r', 'p')
     join pg_namespace n on n.oid = c.relnamespace and n.nspname <> $2
     join pg_attribute a on a.attrelid = c.oid and a.attname = known.field and not a.attisdropped
     group by n.nspname, c.relname, known.name
     having count(*) = (select count(*) from known as all_of where all_of.name = known.name)
     order by 1, 2`,
    [JSON.stringify(KNOWN), OWN],
  );
  // A table called metadata alone says little: the log of events or actions has to be there, too. Of tables whose names
  // have something before it, two are needed.
  const count = (schema: string) =>
    new Set(rows.filter((row) => row.schema === schema).map((row) => row.table)).size;
  const engines = new Set(
    rows
      .filter(({ schema, table, isExact }) => (isExact && table !== 'metadata') || count(schema) > 1)
      .map(({ schema }) => schema),
  );
  return rows.filter(({ schema }) => engines.has(schema));
}

/**
 * From the names of the functions that capture events, else from the setting that they read, else from the setting of a
 * function that names headers of the same word. A setting alone may be one of the user's: `app.user`.
 */
async function wordOf(client: ClientBase, schemas: readonly string[]): Promise<string | undefined> {
  const { rows } = await client.query<{ word: string }>(
    `select word from (
       select case n.nspname = any ($1) when true then 1 else 2 end as rank, found.word
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace,
         lateral (values ((regexp_match(p.prosrc, $2))[1])) as found(word)
       where n.nspname not in ('pg_catalog', 'information_schema', '${OWN}')
         and (n.nspname = any ($1) or p.prosrc ~* ('\\mx-' || found.word || '-'))
       union all
       select 0, (regexp_match(p.proname, '^notify_([a-z0-9]+)_.*_(?:INSERT|UPDATE|DELETE)$'))[1]
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = any ($1)) as ranked
     where word <> 'engine' order by rank, word limit 1`,
    [schemas, `current_setting\\(\\s*'([a-z0-9_]+)\\.(?:user|tracecontext)'`],
  );
  return rows[0]?.word;
}

async function triggersOf(client: ClientBase, schemas: readonly string[]): Promise<LeftTrigger[]> {
  const { rows } = await client.query<LeftTrigger>(
    `select n.nspname as schema, c.relname as table, t.tgname as name, format('%I.%I', pn.nspname, p.proname) as function
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname <> all ($1)
     join pg_proc p on p.oid = t.tgfoid join pg_namespace pn on pn.oid = p.pronamespace and pn.nspname = any ($1)
     -- A partition's copy goes with the trigger of its table.
     where not t.tgisinternal and t.tgparentid = 0 order by 1, 2, 3`,
    [schemas],
  );
  return rows;
}

/** Objects of others whose text names the word's settings and headers, or the schemas. */
async function readersOf(
  client: ClientBase,
  schemas: readonly string[],
  word: string | undefined,
  vocabulary: Vocabulary,
): Promise<DependentObject[]> {
  const settings =
    // In its vocabulary, the settings and headers stay as they are. Between double quotes is the name of a column, or a key of JSON.
    word === undefined || word === vocabulary.word
      ? []
      : [`['"$]${word}\\.(user|tracecontext)\\M`, `(?<!["\\w])x-${word}-`, `"x-${word}-[^"]*"\\s*:(?!:)`];
  const inSchema = (rest: string) =>
    schemas.map((schema) => `(\\m|")${schema.replace(/[^\w]/g, '\\$&')}"?\\.${rest}`);
  const call = `("([^"]|"")+"|[\\w$]+)\\(`;
  if (settings.length + schemas.length === 0) return [];
  const { rows } = await client.query<DependentObject>(
    `with ours as (select oid, nspname from pg_namespace
                   where nspname <> all ($1) and nspname !~ '^pg_' and nspname not in ('information_schema', '${OWN}')),
     found as (
       select 'function' as kind, p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition
       from pg_proc p join ours on ours.oid = p.pronamespace where p.prokind in ('f', 'p')
       union all
       select case c.relkind when 'v' then 'view' else 'materialized view' end, format('%I.%I', ours.nspname, c.relname),
         format('create %s %I.%I%s as %s', case c.relkind when 'v' then 'or replace view' else 'materialized view' end,
           ours.nspname, c.relname, ' with (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid))
       from pg_class c join ours on ours.oid = c.relnamespace where c.relkind in ('v', 'm')
       union all
       select 'policy', format('%I.%I policy %I', ours.nspname, c.relname, p.polname),
         format('alter policy %I on %I.%I%s%s', p.polname, ours.nspname, c.relname,
           ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
       from pg_policy p join pg_class c on c.oid = p.polrelid join ours on ours.oid = c.relnamespace
       union all
       select 'default', format('%I.%I.%I', ours.nspname, c.relname, a.attname),
         format('alter table %I.%I alter column %I set default %s', ours.nspname, c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid))
       from pg_attrdef d join pg_class c on c.oid = d.adrelid and c.relkind in ('r', 'p') join ours on ours.oid = c.relnamespace
       join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
       union all
       select 'default', format('domain %I.%I', ours.nspname, t.typname),
         format('alter domain %I.%I set default %s', ours.nspname, t.typname, pg_get_expr(t.typdefaultbin, 0))
       from pg_type t join ours on ours.oid = t.typnamespace where t.typtype = 'd' and t.typdefaultbin is not null
       union all
       -- A constraint of a table's partitions, or of tables that inherit from it, goes with its own.
       select 'constraint', format('%I.%I constraint %I', ours.nspname, c.relname, k.conname),
         format('alter table %I.%I drop constraint %I, add constraint %I %s', ours.nspname, c.relname, k.conname, k.conname,
           pg_get_constraintdef(k.oid))
       from pg_constraint k join pg_class c on c.oid = k.conrelid join ours on ours.oid = c.relnamespace
       where k.contype = 'c' and k.conislocal and k.coninhcount = 0
       union all
       select 'rule', format('%I.%I rule %I', ours.nspname, c.relname, r.rulename),
         regexp_replace(pg_get_ruledef(r.oid), '^CREATE RULE', 'create or replace rule')
       from pg_rewrite r join pg_class c on c.oid = r.ev_class join ours on ours.oid = c.relnamespace
       where r.rulename <> '_RETURN'
       union all
       select 'trigger', format('%I.%I trigger %I', ours.nspname, c.relname, t.tgname),
         format('drop trigger %I on %I.%I; %s', t.tgname, ours.nspname, c.relname, pg_get_triggerdef(t.oid))
           || case t.tgenabled when 'O' then '' else format('; alter table %I.%I %s trigger %I', ours.nspname, c.relname,
             case t.tgenabled when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end, t.tgname) end
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join ours on ours.oid = c.relnamespace
       join pg_proc p on p.oid = t.tgfoid join pg_namespace pn on pn.oid = p.pronamespace and pn.nspname <> all ($1)
       where not t.tgisinternal and t.tgparentid = 0)
     select kind, name, definition, reads from found, lateral (select array_remove(array[
       case when exists (select from unnest($2::text[]) as text where definition ~* text) then 'settings' end,
       case when exists (select from unnest($4::text[]) as text where definition ~* text) then 'tables' end,
       case when exists (select from unnest($5::text[]) as text where definition ~* text) then 'functions' end
     ], null)) as matched(reads)
     where reads <> '{}'
     order by array_position($3::text[], kind), name`,
    [schemas, settings, READER_KINDS, inSchema(`(?!${call})`), inSchema(call)],
  );
  return rows;
}

const PENDING: Readonly<Record<string, readonly [Undelivered['kind'], string, string]>> = {
  event_log: ['event', 'trigger_name', 'not delivered and not error and not archived'],
  // Those of the future are made anew of the metadata.
  cron_events: [
    'cron event',
    'trigger_name',
    `status in ('scheduled', 'locked') and scheduled_time <= now()`,
  ],
  scheduled_events: ['scheduled event', "''", `status in ('scheduled', 'locked')`],
  action_log: ['asynchronous action', 'action_name', `status in ('created', 'processing')`],
};

async function undeliveredOf(client: ClientBase, tables: readonly KnownTable[]): Promise<Undelivered[]> {
  const found: Undelivered[] = [];
  for (const { table, quoted } of tables) {
    const pending = PENDING[table];
    if (!pending) continue;
    const [kind, name, condition] = pending;
    const { rows } = await client.query<{ name: string; count: number }>(
      `select ${name}::text as name, count(*)::int as count from ${quoted} where ${condition} group by 1 order by 1`,
    );
    found.push(...rows.map((row) => ({ kind, ...row })));
  }
  return found;
}
