/**
 * Whether the results of a live query can change only when a transaction ends. If so it need not be read while none does;
 * otherwise, or where that is not certain, it is read at its interval.
 * @rule When is a live query read again?
 */

import { TIME_KEYWORDS } from '../core/condition/rule-reads.ts';
import { quoteIdentifier } from '../core/sql/fragment.ts';
import type { ReadKey, ReadSet } from '../core/sql/reads.ts';
import { READ_THROUGH } from '../database/read-through.ts';
import type { SourceConnection } from '../database/source.ts';
import type { TextRow } from '../database/text-query.ts';

export interface Sensitivity {
  /** Why the query has to be read at its interval; undefined: it is read after changes of data. */
  readonly polledBecause: string | undefined;
  /** The tables that it reads, also behind views, by oid, each with the places of the statement where it is read. */
  readonly reads: ReadonlyMap<string, readonly (readonly ReadKey[])[]>;
}

/** Names of the relations that a statement reads. */
export function tablesOf({ relations }: ReadSet): ReadonlySet<string> {
  return new Set(relations.map(({ schema, name }) => quoteIdentifier(schema, name)));
}

/**
 * Reasons why something that is read may change by itself. Views are followed to what they read. Functions of the server
 * that are not immutable count, except those that depend on nothing but settings.
 */
const REASONS = `with recursive named (oid, label) as (
  select c.oid, c.oid::regclass::text from unnest($1::text[], $2::text[]) as n (schema, name)
  join pg_namespace as s on s.nspname = n.schema
  join pg_class as c on c.relnamespace = s.oid and c.relname = n.name
), reached (oid) as (
  select oid from named
  union
  select d.refobjid from reached as r
  join pg_rewrite as w on w.ev_class = r.oid
  join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.oid
), called (label, oid) as (
  select n.schema || '.' || n.name, p.oid from unnest($3::text[], $4::text[]) as n (schema, name)
  join pg_namespace as s on s.nspname = n.schema
  join pg_proc as p on p.pronamespace = s.oid and p.proname = n.name
  union all
  select 'the statement', p.oid from unnest($6::text[]) as n (name)
  join pg_proc as p on p.proname = n.name and pg_function_is_visible(p.oid)
  where not exists (select from pg_depend as d
    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
), trees (label, tree) as (
  select w.ev_class::regclass::text, w.ev_action::text from reached as r
  join pg_class as c on c.oid = r.oid and c.relkind = 'v' join pg_rewrite as w on w.ev_class = r.oid
  union all
  select called.label, p.proargdefaults::text from called
  join pg_proc as p on p.oid = called.oid and p.proargdefaults is not null
), used (label, oid) as (
  select label, p.oid from trees, regexp_matches(tree, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\\d+)', 'g') as m
  join pg_proc as p on p.oid = m[1]::oid
  union
  select label, oid from called
)
select case c.relkind when 'f' then 'the foreign table ' when 'S' then 'the sequence ' else 'the system relation ' end
  || r.oid::regclass::text
from reached as r join pg_class as c on c.oid = r.oid where c.relkind in ('f', 'S') or c.oid < 16384
union all select 'row-level security of ' || r.oid::regclass::text from reached as r
join pg_class as c on c.oid = r.oid where c.relrowsecurity and row_security_active(c.oid)
union all select 'the time or the user in ' || label from trees
where tree ~ 'SQLVALUEFUNCTION|NEXTVALUEEXPR' or exists (
  select from regexp_matches(tree, ':relid (\\d+)', 'g') as m where m[1]::oid between 1 and 16383)
union all select 'a text that is read as ' || t.oid::regtype::text || ' in ' || label
from trees, regexp_matches(tree, ':resulttype (\\d+) :resultcollid \\d+ :coerceformat', 'g') as m
join pg_type as t on t.oid = m[1]::oid left join pg_type as e on e.oid = t.typelem
where coalesce(e.typcategory, t.typcategory) in ('A', 'C', 'D', 'R')
union all select 'the function ' || p.oid::regprocedure::text || ' in ' || label from used
join pg_proc as p on p.oid = used.oid
where p.provolatile <> 'i'
  and not (p.oid < 16384 and p.provolatile = 's' and p.proname ~ $5 and p.proname !~ '_(in|recv)$')
limit 1`;

/**
 * Stable functions of the server whose results depend on nothing but settings and committed transactions, besides their
 * arguments. Not among them: those that read texts as values of other types, since a text may mean the time, and those that
 * make a `timetz` of a time, whose offset is that of the day.
 */
const SETTING_ONLY =
  '^(to_(char|date|number|timestamp|json|jsonb|ascii|tsvector|tsquery)$|json(?!b?_(populate|to)_record)|row_to_json|array_to_|array_agg|string_agg|concat|format$|quote_|date|timestamptz|timestamp$|timestamp_|time$|time_|interval|text$|extract$|like|overlaps$|generate_series$|ts_|plainto_|phraseto_|websearch_|bpchar|varchar|pg_current_snapshot$)';

/** Keywords that are no functions, and texts that mean the time; or what may be both; or writes that are not reported. */
function timeIn({ words, hasMoment, isUnknown, isOfCluster }: ReadSet): string | undefined {
  if (isOfCluster) return 'tables of a cluster, whose writes the coordinator does not always see';
  if (isUnknown) return 'a native query, or a rule that cannot be read';
  if (hasMoment) return 'the time in a text of the statement';
  const word = words.find((each) => TIME_KEYWORDS.has(each));
  return word && `the time in the statement: ${word}`;
}

/**
 * The tables behind what is read: views are followed to what they read, and partitions and heirs to their relatives, because
 * what is written by the name of one changes what is read by the name of another.
 */
const TABLES = `with recursive reached (schema, name, is_table, oid) as (
  select n.schema, n.name, c.relkind in ('r', 'p'), c.oid from unnest($1::text[], $2::text[]) as n (schema, name)
  join pg_namespace as s on s.nspname = n.schema
  join pg_class as c on c.relnamespace = s.oid and c.relname = n.name
  union
  select r.schema, r.name, r.is_table, next.oid from reached as r cross join lateral (
    ${READ_THROUGH}
  ) as next (oid)
)
select r.oid::text, r.schema, r.name, r.is_table::text
from reached as r join pg_class as c on c.oid = r.oid where c.relkind <> 'v'`;

/** What the database says of the relations and functions that a statement reads. */
interface Answer {
  readonly reasons: readonly TextRow[];
  readonly tables: readonly TextRow[];
}

/** More answers than statements of an application need; then all are asked for again. */
const MAX_ANSWERS = 1000;

/** On what statements depend, in one database. Those that read the same relations and functions share an answer. */
export class Sensitivities {
  readonly #source: Pick<SourceConnection, 'poll'>;
  readonly #answers = new Map<string, { readonly asked: number; readonly answer: Promise<Answer> }>();

  constructor(source: Pick<SourceConnection, 'poll'>) {
    this.#source = source;
  }

  /**
   * @param since by performance.now(): the database is asked after that
   * @throws what the connection throws
   */
  async of(read: ReadSet, since: number): Promise<Sensitivity> {
    const { relations, functions, words } = read;
    const names = [relations, functions].flatMap((list) => [
      list.map(({ schema }) => schema),
      list.map(({ name }) => name),
    ]);
    const key = JSON.stringify([names, words]);
    let known = this.#answers.get(key);
    if (!known || known.asked < since) {
      known = { asked: performance.now(), answer: this.#ask(names, words) };
      if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
      this.#answers.set(key, known);
    }
    const { reasons, tables } = await known.answer.catch((error: unknown) => {
      // Those who come later ask themselves.
      if (this.#answers.get(key) === known) this.#answers.delete(key);
      throw error;
    });
    const reads = new Map<string, readonly (readonly ReadKey[])[]>();
    for (const [oid, schema, name, isTable] of tables) {
      // Columns of a view are not those of its tables.
      const named = relations.find((each) => each.schema === schema && each.name === name);
      const places = (isTable === 'true' && named?.places) || [[]];
      reads.set(oid!, [...(reads.get(oid!) ?? []), ...places]);
    }
    return { polledBecause: timeIn(read) ?? reasons[0]?.[0] ?? undefined, reads };
  }

  async #ask(names: readonly (readonly string[])[], words: readonly string[]): Promise<Answer> {
    // One after the other: the connection for change signals stays free.
    const reasons = await this.#source.poll(REASONS, [...names, SETTING_ONLY, words]);
    return { reasons, tables: await this.#source.poll(TABLES, names.slice(0, 2)) };
  }
}
