/**
 * Sections of the catalog's statement for what the database does by itself: facts of each object that decide what reading,
 * writing or calling it means, and the objects that it uses. Everything is sent under the OID of the object.
 */
import { databaseFacts, isOwn, namedObjects, typeFactsSql } from './database-statement.ts';

/**
 * Names are made texts before they are joined: an operator of the database for a name and a text would be preferred to PostgreSQL's.
 * @param hashOf SQL of the hash of a text that PostgreSQL prints
 */
export function objectSections(hashOf: (text: string) => string) {
  /** States of a trigger: fires (O), never (D), on replicas (R), always (A). */
  const state = (letter: string) =>
    `case ${letter} when 'O' then '' when 'D' then ' disabled' when 'R' then ' replica' else ' always' end`;
  /** A trigger of either table that enforces the foreign key may be disabled. */
  const enforced = `case
            when k.oid in (select g.tgconstraint from pg_catalog.pg_trigger g where g.tgenabled in ('D', 'R')) then ' disabled'
            else ''
          end`;
  // What a foreign key does with its rows is a fact of the table that it refers to.
  const facts = `
    select r.oid::int8, f.name::text, f.value::text
    from relations r
    join pg_catalog.pg_class c on c.oid = r.oid
    cross join lateral (
      values
        (
          'owner',
          case
            when (r.kind = 'v' or c.relrowsecurity) and c.relowner <> (
              select a.oid from pg_catalog.pg_roles a where a.rolname = current_user
            ) then pg_catalog.pg_get_userbyid(c.relowner)
          end
        ),
        (
          'row security',
          case
            when c.relrowsecurity then
              case when c.relforcerowsecurity then 'forced' else 'enabled' end
              || case when pg_catalog.row_security_active(c.oid) then '' else ', bypassed' end
          end
        ),
        ('options', case when r.kind = 'v' then c.reloptions::text end),
        ('query', case when r.kind in ('v', 'm') then ${hashOf('pg_catalog.pg_get_viewdef(r.oid)')} end),
        ('bounds', ${hashOf('pg_catalog.pg_get_expr(c.relpartbound, c.oid)')}),
        ('privilege select', ${privilege('select')}),
        ('privilege insert', ${privilege('insert')}),
        ('privilege update', ${privilege('update')}),
        ('privilege delete', ${privilege('delete')})
    ) f (name, value)
    where f.value is not null
    union all
    select
      a.attrelid::int8,
      case when a.attgenerated = '' then 'default ' else 'generated ' end || a.attname::text,
      case when a.attgenerated = '' then ${hashOf('pg_catalog.pg_get_expr(d.adbin, d.adrelid)')} else pg_catalog.pg_get_expr(d.adbin, d.adrelid) end
    from relations r
    join pg_catalog.pg_attrdef d on d.adrelid = r.oid
    join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    union all
    select
      a.attrelid::int8, f.name || ' ' || a.attname::text, f.value
    from relations r
    join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_collation l on l.oid = a.attcollation and l.oid <> t.typcollation
    cross join lateral (
      values
        (
          'type',
          case t.typname
            when 'int2' then 'integer' when 'int4' then 'integer' when 'int8' then 'integer' when 'varchar' then 'text'
            else pg_catalog.format_type(a.atttypid, a.atttypmod)
          end
        ),
        -- It decides what can be written, and no value that was.
        (
          'size',
          case
            when t.typname in ('int2', 'int4', 'int8') or t.typname = 'varchar' and a.atttypmod <> -1
              then pg_catalog.format_type(a.atttypid, a.atttypmod)
          end
        ),
        ('not null', case when a.attnotnull then 'yes' end),
        ('required', case when a.attnotnull and not a.atthasdef and a.attidentity = '' then 'yes' end),
        ('identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end),
        ('collation', l.collname::text || case when l.collisdeterministic then '' else ' (nondeterministic)' end),
        ('foreign column', ${hashOf('a.attfdwoptions::text')})
    ) f (name, value)
    where f.value is not null
    union all
    select
      coalesce(nullif(k.conrelid, 0), k.contypid)::int8,
      case k.contype when 'f' then 'foreign key ' when 'x' then 'exclusion ' else 'check ' end || k.conname::text,
      case
        when k.contype = 'f' then
          pg_catalog.regexp_replace(
            pg_catalog.pg_get_constraintdef(k.oid),
            ' ON (UPDATE|DELETE) (CASCADE|RESTRICT|SET NULL|SET DEFAULT)( \\([^)]*\\))?', '', 'g'
          )
          || ${enforced}
        else pg_catalog.pg_get_constraintdef(k.oid)
      end
    from pg_catalog.pg_constraint k
    join schemas s on s.oid = k.connamespace
    where k.contype in ('c', 'f', 'x') and (k.contype <> 'f' or k.conparentid = 0)
    union all
    select k.confrelid::int8, 'referenced by ' || r.schema::text || '.' || r.name::text || ' ' || k.conname::text, pg_catalog.pg_get_constraintdef(k.oid) || ${enforced}
    from relations r
    join pg_catalog.pg_constraint k on k.conrelid = r.oid and k.contype = 'f' and k.conparentid = 0
    union all
    select
      i.indrelid::int8, 'unique ' || c.relname::text,
      pg_catalog.pg_get_indexdef(i.indexrelid)
      || case when i.indisvalid then '' else ' invalid' end
      || case when i.indimmediate then '' else ' deferrable' end
    from relations r
    join pg_catalog.pg_index i on i.indrelid = r.oid and i.indisunique
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    union all
    select i.indrelid::int8, 'index ' || c.relname::text, ${hashOf('pg_catalog.pg_get_indexdef(i.indexrelid)')}
    from relations r
    join pg_catalog.pg_index i on i.indrelid = r.oid and not i.indisunique
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    join (
      select distinct x.objid
      from pg_catalog.pg_depend x
      where
        x.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
        and x.refclassid in ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
    ) x on x.objid = i.indexrelid
    union all
    select r.oid::int8, 'trigger ' || g.tgname::text, ${hashOf('pg_catalog.pg_get_triggerdef(g.oid)')} || ${state('g.tgenabled')}
    from relations r
    join triggers g on g.tgrelid = r.oid
    union all
    select r.oid::int8, 'rule ' || u.rulename::text, ${hashOf('pg_catalog.pg_get_ruledef(u.oid)')} || ${state('u.ev_enabled')}
    from relations r
    join pg_catalog.pg_rewrite u on u.ev_class = r.oid and u.ev_type <> '1'
    union all
    select
      r.oid::int8, 'policy ' || p.polname::text,
      ${hashOf(
        `pg_catalog.concat_ws(
          ' ', p.polcmd, p.polpermissive,
          array(
            select pg_catalog.pg_get_userbyid(u) || case when u = 0 or pg_catalog.pg_has_role(u, 'usage') then '' else ' (not the account)' end
            from pg_catalog.unnest(p.polroles) u
            order by 1
          ),
          pg_catalog.pg_get_expr(p.polqual, p.polrelid), pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
        )`,
      )}
    from relations r
    join pg_catalog.pg_policy p on p.polrelid = r.oid
    union all
    select
      r.oid::int8, 'child ' || n.nspname::text || '.' || c.relname::text,
      coalesce(${hashOf('pg_catalog.pg_get_expr(c.relpartbound, c.oid)')}, 'inherits')
    from relations r
    join pg_catalog.pg_inherits i on i.inhparent = r.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    union all
    select
      r.oid::int8, 'foreign server ' || s.srvname::text,
      ${hashOf('pg_catalog.concat_ws($$ $$, f.ftoptions, s.srvoptions, s.srvversion, w.fdwhandler::pg_catalog.regproc, w.fdwoptions, m.accounts)')}
    from relations r
    join pg_catalog.pg_foreign_table f on f.ftrelid = r.oid
    join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
    join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
    left join lateral (
      select pg_catalog.array_agg(pg_catalog.concat_ws(' ', u.usename, o) order by u.usename, o) as accounts
      from pg_catalog.pg_user_mappings u
      cross join lateral pg_catalog.unnest(u.umoptions) o
      where u.srvid = s.oid and o like 'user=%'
    ) m on true
    union all
    select f.oid::int8, 'owner', pg_catalog.pg_get_userbyid(f.proowner)
    from bodies f
    where f.prosecdef and f.proowner <> (select a.oid from pg_catalog.pg_roles a where a.rolname = current_user)
    union all
    select f.oid::int8, 'volatile', 'yes'
    from bodies f
    where f.provolatile = 'v'
    union all
    select f.oid::int8, 'no execute', 'yes'
    from bodies f
    where not pg_catalog.has_function_privilege(f.oid, 'execute')
    union all${typeFactsSql(hashOf)}
    union all${databaseFacts(hashOf)}`;

  /** Aggregates have no text; what they call stands for it. */
  const bodies = `
    select
      f.oid::int8, s.name as schema, f.proname as name,
      pg_catalog.pg_get_function_identity_arguments(f.oid) as arguments,
      case
        when (select p.path from settled p) <> '' then null
        when f.prokind = 'a' then
          (select pg_catalog.concat_ws(' ', a.aggtransfn, a.aggfinalfn, a.agginitval) from pg_catalog.pg_aggregate a where a.aggfnoid = f.oid)
        else pg_catalog.pg_get_functiondef(f.oid)
      end as definition
    from bodies f
    join schemas s on s.oid = f.pronamespace`;

  /** `is_written`: only a write of the object leads there. */
  const ties = `
    select distinct o.node::int8 as oid, e.node::int8 as used, o.is_written
    from (
      select 'pg_catalog.pg_rewrite'::pg_catalog.regclass::oid as class, q.oid, q.ev_class as node, q.ev_type <> '1' as is_written
      from pg_catalog.pg_rewrite q
      union all
      select 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid, d.adrelid, a.attgenerated = ''
      from pg_catalog.pg_attrdef d
      join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      union all
      select 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid, coalesce(nullif(k.conrelid, 0), k.contypid), true
      from pg_catalog.pg_constraint k
      where k.contype in ('c', 'x')
      union all
      select 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, p.polrelid, false
      from pg_catalog.pg_policy p
      union all
      select 'pg_catalog.pg_trigger'::pg_catalog.regclass, g.oid, g.tgrelid, true
      from triggers g
      union all
      select 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid, i.indrelid, true
      from pg_catalog.pg_index i
      union all
      select 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, t.oid, w.is_written
      from pg_catalog.pg_type t
      cross join (values (false), (true)) w (is_written)
      where t.typtype in ('d', 'r')
      union all
      select 'pg_catalog.pg_class'::pg_catalog.regclass, c.oid, case when c.relkind = 'c' then c.reltype else c.oid end, w.is_written
      from pg_catalog.pg_class c
      join schemas s on s.oid = c.relnamespace
      cross join (values (false), (true)) w (is_written)
      where c.relkind in ('r', 'p', 'f', 'v', 'm', 'c')
      union all
      select 'pg_catalog.pg_ts_config'::pg_catalog.regclass, f.oid, f.oid, false
      from pg_catalog.pg_ts_config f
      union all
      select 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid, f.oid, false
      from bodies f
    ) o
    join pg_catalog.pg_depend x on x.classid = o.class and x.objid = o.oid
    left join pg_catalog.pg_operator p
      on x.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and p.oid = x.refobjid
    left join pg_catalog.pg_type t on x.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass and t.oid = x.refobjid
    left join pg_catalog.pg_type i on t.typcategory = 'A' and i.oid = t.typelem
    left join pg_catalog.pg_class c on c.oid = coalesce(i.typrelid, t.typrelid) and c.relkind <> 'c'
    cross join lateral (select coalesce(p.oprcode::oid, c.oid, i.oid, x.refobjid) as node) e
    where
      e.node <> o.node
      and x.refclassid in (
        'pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_proc'::pg_catalog.regclass,
        'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_type'::pg_catalog.regclass,
        'pg_catalog.pg_collation'::pg_catalog.regclass, 'pg_catalog.pg_ts_config'::pg_catalog.regclass,
        'pg_catalog.pg_ts_dict'::pg_catalog.regclass
      )
    union
    select k.confrelid::int8, k.conrelid::int8, true
    from pg_catalog.pg_constraint k
    where k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
    union
    select x.refobjid::int8, x.objid::int8, true
    from pg_catalog.pg_depend x
    join pg_catalog.pg_sequence q on q.seqrelid = x.objid
    where x.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and x.deptype = 'i'
    union
    select i.inhparent::int8, i.inhrelid::int8, w.is_written
    from pg_catalog.pg_inherits i
    cross join (values (false), (true)) w (is_written)`;
  return { facts, texts: bodies, ties, named: namedObjects };
}

/** What the account may not do with a relation as a whole: the columns for which it may, or `none`. */
function privilege(name: 'select' | 'insert' | 'update' | 'delete'): string {
  const columns = `nullif(
            array(
              select a.attname::text
              from pg_catalog.pg_attribute a
              where
                a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                and pg_catalog.has_column_privilege(c.oid, a.attnum, '${name}')
              order by 1
            )::text,
            '{}'
          )`;
  return `
          case
            when not pg_catalog.has_schema_privilege(c.relnamespace, 'usage') then 'none'
            when not pg_catalog.has_table_privilege(c.oid, '${name}') then ${name === 'delete' ? "'none'" : `coalesce(${columns}, 'none')`}
          end`;
}

/** Functions whose texts are read; functions of extensions are left out. */
export const bodiesScope = `
  bodies as materialized (
    select f.*
    from pg_catalog.pg_proc f
    join schemas s on s.oid = f.pronamespace
    where ${isOwn('pg_proc', 'f.oid')}
  )`;
