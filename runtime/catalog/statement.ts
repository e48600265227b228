/**
 * The one statement that reads a database: a section of SQL for each kind of object, put together into one JSON value.
 * The sections send what pg_catalog holds, by OID and attribute number; names are filled in by `normalise.ts`, which
 * knows all of them anyway. (OIDs go as int8: JSON made of an oid is a string.) One statement is one round trip, and one snapshot.
 *
 * A database that was filled a moment ago has the statistics of an empty one, and the planner errs. So joins compare all that
 * is equal, and nothing is looked up with IN or EXISTS among many rows.
 *
 * It reads every schema but the system's own, temporary ones and `engine_catalog`, where the metadata is kept.
 */

import { bodiesScope, objectSections } from './objects-statement.ts';
import { OPAQUE_FUNCTIONS, OPAQUE_RELATIONS } from './opaque.ts';
import type { ObjectTexts, RawCatalog } from './raw-catalog.ts';

/**
 * The first 128 bits of a SHA-256, in hexadecimal, of an SQL text that Postgres prints. It prints names with their schemas
 * where the search path does not find them; so the path is emptied before the first text is printed, and restored at the end.
 */
function hashOf(text: string): string {
  return `case when (select p.path from settled p) = '' then
        pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(${text}, 'UTF8')), 'hex'), 32)
      end`;
}

/** The schemas and relations that are read; used by the other sections. */
const scope = `
  settled as materialized (
    select
      pg_catalog.current_setting('search_path') as before,
      pg_catalog.set_config('search_path', '', true) as path
  ),
  schemas as materialized (
    select n.oid, n.nspname as name
    from pg_catalog.pg_namespace n
    where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'engine_catalog')
  ),
  triggers as (
    select g.oid, g.tgrelid, g.tgtype, g.tgname, g.tgenabled, g.tgfoid
    from pg_catalog.pg_trigger g
    join pg_catalog.pg_proc p on p.oid = g.tgfoid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where not g.tgisinternal and n.nspname <> 'engine_catalog'
  ),
  relations as materialized (
    select c.oid, s.name as schema, c.relname as name, c.relkind as kind, c.relispartition as is_partition
    from pg_catalog.pg_class c
    join schemas s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f')
  ),
  descendants as materialized (
    with recursive below as (
      select i.inhparent as ancestor, i.inhrelid as oid
      from pg_catalog.pg_inherits i
      union
      select b.ancestor, i.inhrelid
      from below b
      join pg_catalog.pg_inherits i on i.inhparent = b.oid
    )
    select b.ancestor, b.oid
    from below b
  ),
  equalities as materialized (
    select u.type
    from pg_catalog.pg_operator o
    cross join lateral (values (o.oprleft), (o.oprright)) u (type)
    where o.oprname = '=' and o.oprnamespace <> 'pg_catalog'::pg_catalog.regnamespace
  ),
  unvalidated as materialized (
    select k.conrelid as relation, k.conkey[1] as position
    from pg_catalog.pg_constraint k
    where k.contype = 'n' and not k.convalidated
  ),
${bodiesScope.trim()},
  opaque as materialized (
    select
      ':funcid (' || (
        select pg_catalog.string_agg(p.oid::text, '|')
        from pg_catalog.pg_proc p
        where p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace and p.proname ~ '${OPAQUE_FUNCTIONS}'
      ) || ') |:relid (' || (
        select pg_catalog.string_agg(c.oid::text, '|')
        from pg_catalog.pg_class c
        where c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace and c.relname ~ '${OPAQUE_RELATIONS}'
      ) || ') ' as pattern
  ),
  expressions as materialized (
    select
      r.oid as relation, 0 as position, 0::oid as function,
      'pg_catalog.pg_rewrite'::pg_catalog.regclass as class, q.oid as object, 0 as part, q.ev_action::text as tree
    from relations r
    join pg_catalog.pg_rewrite q on q.ev_class = r.oid and q.ev_type = '1'
    where r.kind in ('v', 'm')
    union all
    select v.adrelid, v.adnum, 0, 'pg_catalog.pg_attrdef'::pg_catalog.regclass, v.oid, 0, v.adbin::text
    from relations r
    join pg_catalog.pg_attrdef v on v.adrelid = r.oid
    union all
    select a.attrelid, a.attnum, 0, 'pg_catalog.pg_class'::pg_catalog.regclass, a.attrelid, a.attnum, null
    from relations r
    join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attgenerated <> '' and not a.attisdropped
    union all
    select
      0, 0, f.oid, 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid, 0,
      case when l.lanname = 'sql' then pg_catalog.to_jsonb(f) ->> 'prosqlbody' end
    from schemas s
    join pg_catalog.pg_proc f on f.pronamespace = s.oid
    join pg_catalog.pg_language l on l.oid = f.prolang
  ),
  comments as materialized (
    select d.objoid as oid, d.objsubid as position, d.classoid::pg_catalog.regclass as catalog, d.description as text
    from pg_catalog.pg_description d
    where d.objoid >= 16384
  )`;

const extensions = `
    select e.extname as name, n.nspname as schema, e.extversion as version
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace`;

/**
 * Every type, the system's too, for their names; which of them the catalog lists is decided where names are filled in.
 * The fields of a row type are the columns of its table, unless that table is not read.
 */
const types = `
    select
      t.oid::int8, n.nspname as schema, t.typname as name, t.typtype as kind, d.text as comment,
      e.oid::int8 as element,
      t.oid in (select q.type from equalities q) as own_equality,
      nullif(t.typbasetype, 0)::int8 as base,
      t.typnotnull as not_null,
      t.typdefault is not null as has_default,
      case t.typtype
        when 'e' then (
          select pg_catalog.json_agg(l.enumlabel order by l.enumsortorder)
          from pg_catalog.pg_enum l
          where l.enumtypid = t.oid
        )
      end as labels,
      c.oid::int8 as relation,
      coalesce(c.relkind <> 'c', false) as row_type,
      case
        when c.oid is not null and r.oid is null and n.nspname <> 'pg_catalog' then (
          select pg_catalog.json_agg(
            pg_catalog.json_build_object('name', a.attname, 'type', a.atttypid::int8) order by a.attnum
          )
          from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        )
      end as fields
    from pg_catalog.pg_type t
    join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    left join pg_catalog.pg_type e on e.typarray = t.oid
    left join pg_catalog.pg_class c on c.oid = t.typrelid
    left join relations r on r.oid = c.oid
    left join comments d on d.oid = t.oid and d.catalog = 'pg_catalog.pg_type'::pg_catalog.regclass
    where n.nspname <> 'pg_toast'`;

/**
 * Defaults, constraints and types (domains, and what holds them) by which a new row calls a function of the database. A
 * sequence counts as one in the default of a domain, because many columns may share it.
 */
const calling = `
      with recursive calling as (
        select x.classid as class, x.objid as oid
        from pg_catalog.pg_depend x
        left join pg_catalog.pg_operator o
          on x.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and o.oid = x.refobjid
        join pg_catalog.pg_proc f
          on f.oid = case
            when x.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass then x.refobjid
            else o.oprcode
          end
        join pg_catalog.pg_language l on l.oid = f.prolang and l.lanname not in ('internal', 'c')
        union
        select x.classid, x.objid
        from pg_catalog.pg_depend x
        join pg_catalog.pg_class c
          on x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.oid = x.refobjid and c.relkind = 'S'
        where x.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
        union
        select z.class, z.oid
        from calling y
        cross join lateral (
          select 'pg_catalog.pg_type'::pg_catalog.regclass::oid as class, k.contypid as oid
          from pg_catalog.pg_constraint k
          where y.class = 'pg_catalog.pg_constraint'::pg_catalog.regclass and k.oid = y.oid
          union all
          select
            case when c.oid is null then x.classid else y.class end,
            coalesce(c.reltype, x.objid)
          from pg_catalog.pg_depend x
          left join pg_catalog.pg_class c on x.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.oid = x.objid
          where
            y.class = 'pg_catalog.pg_type'::pg_catalog.regclass
            and x.refclassid = y.class and x.refobjid = y.oid
        ) z
        where z.oid <> 0
      )`;

/**
 * Relations whose rows an INSERT may see or change besides its own. What Postgres and extensions call in C is taken to
 * look at nothing: such functions make identifiers and times. A sequence is shared if columns of two tables take numbers
 * from it, partitions apart, which are listed for being parts of another table. Trigger type 4: INSERT; rule type 3: INSERT.
 * Triggers that Engine itself installs only write to `engine_catalog`, which no query reads.
 */
const sideEffects = `${calling}
      select g.tgrelid as oid
      from triggers g
      where g.tgtype & 4 <> 0
      union
      select pg_catalog.pg_partition_root(g.tgrelid)
      from triggers g
      where g.tgtype & 4 <> 0
      union
      select u.ev_class
      from pg_catalog.pg_rewrite u
      where u.ev_type = '3'
      union
      select i.inhrelid
      from pg_catalog.pg_inherits i
      union
      select r.oid
      from relations r
      where r.kind in ('r', 'p') and pg_catalog.row_security_active(r.oid)
      union
      select coalesce(v.adrelid, k.conrelid, a.attrelid)
      from calling y
      left join pg_catalog.pg_attrdef v on y.class = 'pg_catalog.pg_attrdef'::pg_catalog.regclass and v.oid = y.oid
      left join pg_catalog.pg_constraint k
        on y.class = 'pg_catalog.pg_constraint'::pg_catalog.regclass and k.oid = y.oid
      left join pg_catalog.pg_attribute a on y.class = 'pg_catalog.pg_type'::pg_catalog.regclass and a.atttypid = y.oid
      union
      select u.adrelid
      from (
        select
          v.adrelid,
          pg_catalog.min(v.adrelid) over same <> pg_catalog.max(v.adrelid) over same as is_shared
        from pg_catalog.pg_attrdef v
        join pg_catalog.pg_depend x
          on x.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass and x.objid = v.oid
          and x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        join pg_catalog.pg_class c on c.oid = x.refobjid and c.relkind = 'S'
        where not exists (select from pg_catalog.pg_inherits i where i.inhrelid = v.adrelid)
        window same as (partition by x.refobjid)
      ) u
      where u.is_shared`;

/**
 * pg_relation_is_updatable counts unconditional INSTEAD rules and INSTEAD OF triggers. It fails on a foreign table
 * whose wrapper has no handler, because they can be neither read nor written.
 */
const relations = `
    select
      r.oid::int8, r.schema, r.name, r.kind, d.text as comment,
      case when r.is_partition then i.inhparent::int8 end as parent,
      not r.is_partition and h.oid is not null as inherits,
      r.kind <> 'p' and b.oid is not null as has_children,
      case
        when r.kind in ('r', 'p') then 28
        when r.kind = 'v' or w.fdwhandler <> 0 then pg_catalog.pg_relation_is_updatable(r.oid, true)
        else 0
      end as events,
      q.ev_action::text as query,
      case
        when r.kind in ('v', 'm') then
          ${hashOf("pg_catalog.pg_get_viewdef(r.oid) || coalesce(c.reloptions::text, '')")}
      end as definition,
      e.oid is not null as has_side_effects
    from relations r
    join pg_catalog.pg_class c on c.oid = r.oid
    left join (${sideEffects}
    ) e on e.oid = r.oid
    left join comments d
      on d.oid = r.oid and d.position = 0 and d.catalog = 'pg_catalog.pg_class'::pg_catalog.regclass
    left join pg_catalog.pg_inherits i on r.is_partition and i.inhrelid = r.oid
    left join (select distinct i.inhrelid as oid from pg_catalog.pg_inherits i) h on h.oid = r.oid
    left join (select distinct i.inhparent as oid from pg_catalog.pg_inherits i) b on b.oid = r.oid
    left join pg_catalog.pg_foreign_table f on f.ftrelid = r.oid
    left join pg_catalog.pg_foreign_server v on v.oid = f.ftserver
    left join pg_catalog.pg_foreign_data_wrapper w on w.oid = v.srvfdw
    left join pg_catalog.pg_rewrite q on r.kind in ('v', 'm') and q.ev_class = r.oid and q.ev_type = '1'`;

/**
 * PostgreSQL enforces NOT NULL neither on rows of a foreign table nor on those that were there before a constraint that is
 * not validated (version 18), and a child may lack the NOT NULL of its parent. A scan of the parent shows all of them.
 *
 * A rule or trigger that handles INSERT or UPDATE itself takes every column of the view; an automatically updatable
 * view takes those that show a column of the table below. Trigger types: 64 INSTEAD OF, 4 INSERT, 16 UPDATE; rule types:
 * 2 UPDATE, 3 INSERT.
 */
const columns = `
    select
      a.attrelid::int8 as relation, a.attnum as position, a.attname as name, a.atttypid::int8 as type,
      a.attnotnull and r.kind <> 'f' and u.relation is null as not_null,
      a.attnotnull and n.ancestor is not null as null_below,
      a.atthasdef as has_default, a.attidentity as identity, a.attgenerated as generated, d.text as comment,
      coalesce(not l.collisdeterministic, false) as nondeterministic,
      case
        when r.kind = 'v' then h.oid is not null or pg_catalog.pg_column_is_updatable(r.oid, a.attnum, true)
      end as updatable
    from relations r
    join pg_catalog.pg_attribute a on a.attrelid = r.oid
    left join pg_catalog.pg_collation l on l.oid = a.attcollation
    left join unvalidated u on u.relation = a.attrelid and u.position = a.attnum
    left join (
      select distinct x.ancestor, c.attname as name
      from descendants x
      join pg_catalog.pg_attribute c on c.attrelid = x.oid and c.attnum > 0
      join pg_catalog.pg_class k on k.oid = x.oid
      left join unvalidated v on v.relation = c.attrelid and v.position = c.attnum
      where not c.attnotnull or k.relkind = 'f' or v.relation is not null
    ) n on n.ancestor = a.attrelid and n.name = a.attname
    left join (
      select g.tgrelid as oid
      from pg_catalog.pg_trigger g
      where g.tgtype & 64 <> 0 and g.tgtype & 20 <> 0
      union
      select u.ev_class
      from pg_catalog.pg_rewrite u
      where u.is_instead and u.ev_type in ('2', '3') and u.ev_qual::text = '<>'
    ) h on h.oid = r.oid
    left join comments d
      on d.oid = a.attrelid and d.position = a.attnum and d.catalog = 'pg_catalog.pg_class'::pg_catalog.regclass
    where a.attnum > 0 and not a.attisdropped`;

/**
 * What proofs by a constraint need to know goes with it (`proven.ts`). One that is not enforced (version 18) is not validated
 * either. A trigger that enforces a foreign key may be disabled, for all sessions (D) or for ordinary ones (R).
 *
 * Left out: the copies of a foreign key that Postgres keeps for each partition of the referenced table, and temporal
 * foreign keys (version 18, `PERIOD`), which do not say that columns are equal. `conperiod` is read through JSON because
 * the column does not exist before 18.
 */
const constraints = `
    select
      k.oid::int8, k.conrelid::int8 as relation, k.conname as name, k.contype as kind, k.conkey as columns,
      nullif(k.confrelid, 0)::int8 as referenced, k.confkey as referenced_columns,
      k.confdeltype as on_delete, k.confupdtype as on_update,
      k.condeferrable as is_deferrable,
      nullif(k.conindid, 0)::int8 as index,
      not k.convalidated as is_unvalidated,
      k.oid in (select g.tgconstraint from pg_catalog.pg_trigger g where g.tgenabled in ('D', 'R')) as is_disabled,
      case k.contype when 'c' then pg_catalog.pg_get_constraintdef(k.oid) end as definition
    from relations r
    join pg_catalog.pg_constraint k on k.conrelid = r.oid
    left join pg_catalog.pg_constraint p on p.oid = k.conparentid
    where
      k.contype in ('p', 'u', 'c')
      or (
        k.contype = 'f'
        and p.conrelid is distinct from k.conrelid
        and pg_catalog.to_jsonb(k) ->> 'conperiod' is distinct from 'true'
      )`;

/**
 * `is_exact`: the key finds two values equal where `=` of PostgreSQL does. Its operator class may be of another equality
 * (B-tree strategy 3), and so may its collation, where that or the one of the column is nondeterministic.
 */
const indexes = `
    select
      i.indexrelid::int8 as oid, i.indrelid::int8 as relation, c.relname as name, m.amname as method,
      i.indkey::text as columns, i.indnkeyatts as key_length, i.indisunique as is_unique,
      i.indpred is not null as is_partial,
      i.indimmediate and k.oid is null as is_free,
      i.indisvalid as is_valid,
      i.indisunique and not exists (
        select
        from pg_catalog.generate_series(0, i.indnkeyatts - 1) p
        left join pg_catalog.pg_opclass o on o.oid = i.indclass[p]
        left join pg_catalog.pg_amop s
          on s.amopfamily = o.opcfamily and s.amoplefttype = o.opcintype and s.amoprighttype = o.opcintype
          and s.amopstrategy = 3 and m.amname = 'btree'
        left join pg_catalog.pg_operator e
          on e.oid = s.amopopr and e.oprname = '=' and e.oprnamespace = 'pg_catalog'::pg_catalog.regnamespace
        left join pg_catalog.pg_collation l on l.oid = i.indcollation[p]
        where e.oid is null or not coalesce(l.collisdeterministic, true)
      ) as is_exact,
      case
        when i.indisunique and i.indisvalid and (i.indpred is not null or 0 = any (i.indkey[0:i.indnkeyatts - 1])) then
          '(' || (
            select pg_catalog.string_agg('(' || pg_catalog.pg_get_indexdef(i.indexrelid, p + 1, false) || ')', ', ' order by p)
            from pg_catalog.generate_series(0, i.indnkeyatts - 1) p
          ) || ')' || coalesce(' where ' || pg_catalog.pg_get_expr(i.indpred, i.indrelid), '')
      end as inference
    from relations r
    join pg_catalog.pg_index i on i.indrelid = r.oid
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = c.relam
    left join pg_catalog.pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
    where i.indisvalid or i.indisunique`;

/**
 * Columns that views, defaults, generated columns (before version 15 they depend themselves, not their expressions) and
 * functions with parsed bodies mention, as PostgreSQL keeps it.
 */
const reads = `
    select distinct
      e.relation::int8, e.position, e.function::int8, x.refobjid::int8 as source, x.refobjsubid as source_position
    from expressions e
    join pg_catalog.pg_depend x
      on x.classid = e.class and x.objid = e.object and x.objsubid = e.part
      and x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and x.refobjsubid > 0
    where x.refobjid <> e.relation or (e.position <> 0 and x.refobjsubid <> e.position)`;

/** Functions that the same call, by operators and aggregates as well. */
const uses = `
    select distinct
      e.relation::int8, e.position, e.function::int8, coalesce(o.oprcode::oid, x.refobjid)::int8 as called
    from expressions e
    join pg_catalog.pg_depend x
      on x.classid = e.class and x.objid = e.object and x.objsubid = e.part
      and x.refclassid in (
        'pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass
      )
    left join pg_catalog.pg_operator o
      on x.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and o.oid = x.refobjid`;

/**
 * What no dependency says: whole rows, by their types (a mention of one column hides them), and what looks at data that it is
 * given a text for, or at statistics with values of all columns.
 */
const wholes = `
    select
      e.relation::int8, e.position, e.function::int8,
      (
        select coalesce(pg_catalog.json_agg(distinct m[1]::int8), '[]')
        from pg_catalog.regexp_matches(e.tree, ':varattno 0 :vartype ([0-9]+)', 'g') m
      ) as types,
      (
        select coalesce(pg_catalog.json_agg(distinct x.refobjid::int8), '[]')
        from pg_catalog.pg_depend x
        where
          x.classid = e.class and x.objid = e.object and x.refobjid <> e.relation
          and x.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
      ) as relations,
      e.tree ~ o.pattern as is_opaque
    from expressions e
    cross join opaque o
    where e.tree ~ ':varattno 0 ' or e.tree ~ o.pattern`;

/** Every function but those of PostgreSQL: what they read is said of those that are in SQL. Casts are operators without a name. */
const routines = `
    select
      f.oid::int8, s.name as schema, f.proname as name, l.lanname as language, x.name as extension,
      f.prokind = 'a' as is_aggregate, f.provolatile = 'i' as is_immutable,
      case when l.lanname = 'sql' and e.tree is null then f.prosrc end as body,
      f.proargtypes::text as argument_types, f.proargnames as argument_names, f.prorettype::int8 as returns,
      case when f.prokind <> 'a' then
        ${hashOf('pg_catalog.pg_get_functiondef(f.oid)')}
      end as definition
    from schemas s
    join pg_catalog.pg_proc f on f.pronamespace = s.oid
    join pg_catalog.pg_language l on l.oid = f.prolang
    join expressions e on e.function = f.oid
    left join (
      select x.objid as oid, e.extname as name
      from pg_catalog.pg_depend x
      join pg_catalog.pg_extension e
        on x.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass and e.oid = x.refobjid
      where x.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and x.deptype = 'e'
    ) x on x.oid = f.oid`;

const operators = `
    select o.oprname as name, o.oprcode::oid::int8 as function
    from schemas s
    join pg_catalog.pg_operator o on o.oprnamespace = s.oid
    union
    select null, c.castfunc::int8
    from pg_catalog.pg_cast c
    join pg_catalog.pg_proc f on f.oid = c.castfunc
    join schemas s on s.oid = f.pronamespace
    join pg_catalog.pg_language l on l.oid = f.prolang and l.lanname <> 'internal'`;

const inheritance = `
    select i.inhrelid::int8 as relation, i.inhparent::int8 as parent
    from relations r
    join pg_catalog.pg_inherits i on i.inhrelid = r.oid`;

/** Functions in C, and those that Postgres and extensions bring, do what their version says. */
const calls = `
    select distinct
      r.oid::int8 as relation, s.name as schema, f.proname as name,
      ${hashOf('pg_catalog.pg_get_functiondef(f.oid)')} as definition
    from relations r
    join pg_catalog.pg_rewrite q on q.ev_class = r.oid and q.ev_type = '1'
    join pg_catalog.pg_depend x
      on x.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and x.objid = q.oid
      and x.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
    join pg_catalog.pg_proc f on f.oid = x.refobjid and f.prokind = 'f'
    join schemas s on s.oid = f.pronamespace
    join pg_catalog.pg_language l on l.oid = f.prolang and l.lanname not in ('internal', 'c')
    where r.kind in ('v', 'm')`;

const triggerTexts = `
    select
      r.oid::int8 as relation, g.tgname as name,
      ${hashOf("pg_catalog.pg_get_triggerdef(g.oid) || g.tgenabled::text || coalesce(case when l.lanname not in ('internal', 'c') then pg_catalog.pg_get_functiondef(g.tgfoid) end, '')")} as definition
    from relations r
    join triggers g on g.tgrelid = r.oid
    join pg_catalog.pg_proc f on f.oid = g.tgfoid
    join pg_catalog.pg_language l on l.oid = f.prolang
    union all
    select
      r.oid::int8 as relation, u.rulename as name,
      ${hashOf('pg_catalog.pg_get_ruledef(u.oid) || u.ev_enabled::text')} as definition
    from relations r
    join pg_catalog.pg_rewrite u on u.ev_class = r.oid and u.ev_type <> '1'`;

/**
 * Plain functions only. An extension can bring thousands of functions, and a range type brings its constructors (deptype
 * e and i); none of these can be tracked unless it returns rows of a table: the others are left out.
 */
const functions = `
    select
      f.oid::int8, s.name as schema, f.proname as name, f.provolatile as volatility, f.proisstrict as is_strict,
      l.lanname as language, d.text as comment, f.proargtypes::text as argument_types,
      f.proargnames as argument_names, f.proargmodes as argument_modes, f.pronargdefaults as defaults,
      f.provariadic <> 0 as is_variadic, f.prorettype::int8 as returns, f.proretset as returns_set,
      f.prosecdef as is_definer,
      ${hashOf('pg_catalog.pg_get_functiondef(f.oid)')} as definition
    from pg_catalog.pg_proc f
    join schemas s on s.oid = f.pronamespace
    join pg_catalog.pg_language l on l.oid = f.prolang
    join pg_catalog.pg_type t on t.oid = f.prorettype
    left join relations r on r.oid = t.typrelid
    left join comments d on d.oid = f.oid and d.catalog = 'pg_catalog.pg_proc'::pg_catalog.regclass
    where
      f.prokind = 'f'
      and (
        r.oid is not null
        or f.oid not in (
          select x.objid
          from pg_catalog.pg_depend x
          where x.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and x.deptype in ('e', 'i')
        )
      )`;

const served: Record<Exclude<keyof RawCatalog, 'serverVersion' | 'version' | keyof ObjectTexts>, string> = {
  extensions,
  types,
  relations,
  columns,
  constraints,
  indexes,
  reads,
  uses,
  wholes,
  routines,
  operators,
  inheritance,
  calls,
  triggers: triggerTexts,
  functions,
};

/** Returns one row with one text column, `catalog`: the JSON of a {@link RawCatalog}. */
export const catalogStatement = statementOf({ ...served, ...objectSections(hashOf) });

/**
 * The same without what only comparisons of two versions need. PostgreSQL prints defaults and constraints under a lock of the table, so a
 * server that read them would wait for every transaction that holds a table for itself.
 */
export const servedStatement = statementOf(served);

function statementOf(sections: Readonly<Record<string, string>>): string {
  return `with${scope}
select pg_catalog.json_build_object(
  'serverVersion', pg_catalog.current_setting('server_version_num')::int,
  'version', pg_catalog.version(),
${Object.entries(sections)
  .map(
    ([name, query]) => `  '${name}', (
    select coalesce(pg_catalog.json_agg(s), '[]')
    from (${query.replaceAll('\n', '\n  ')}
    ) s
  )`,
  )
  .join(',\n')},
  'restored', (select pg_catalog.set_config('search_path', p.before, true) is null from settled p)
)::text as catalog`;
}
