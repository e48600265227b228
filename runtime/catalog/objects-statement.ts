/**
 * Sections of the catalog's statement for what the database does by itself: facts of each object that decide what reading,
 * writing or calling it means, and the objects that it uses. Everything is sent under the OID of a relation, function or domain.
 */

/**
 * Names are made texts before they are joined: an operator of the database for a name and a text would be preferred to PostgreSQL's.
 * @param hashOf SQL of the hash of a text that PostgreSQL prints
 */
export function objectSections(hashOf: (text: string) => string) {
  /** States of a trigger: fires (O), never (D), on replicas (R), always (A). */
  const state = (letter: string) =>
    `case ${letter} when 'O' then '' when 'D' then ' disabled' when 'R' then ' replica' else ' always' end`;
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
          case when c.relrowsecurity then case when c.relforcerowsecurity then 'forced' else 'enabled' end end
        ),
        ('options', case when r.kind = 'v' then c.reloptions::text end),
        ('query', case when r.kind in ('v', 'm') then ${hashOf('pg_catalog.pg_get_viewdef(r.oid)')} end)
    ) f (name, value)
    where f.value is not null
    union all
    select
      a.attrelid::int8,
      case when a.attgenerated = '' then 'default ' else 'generated ' end || a.attname::text,
      ${hashOf('pg_catalog.pg_get_expr(d.adbin, d.adrelid)')}
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
        ('identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end),
        ('collation', l.collname::text || case when l.collisdeterministic then '' else ' (nondeterministic)' end)
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
          || case
            when k.oid in (select g.tgconstraint from pg_catalog.pg_trigger g where g.tgenabled in ('D', 'R')) then ' disabled'
            else ''
          end
        else ${hashOf('pg_catalog.pg_get_constraintdef(k.oid)')}
      end
    from pg_catalog.pg_constraint k
    join schemas s on s.oid = k.connamespace
    where k.contype in ('c', 'f', 'x') and (k.contype <> 'f' or k.conparentid = 0)
    union all
    select k.confrelid::int8, 'referenced by ' || r.schema::text || '.' || r.name::text || ' ' || k.conname::text, pg_catalog.pg_get_constraintdef(k.oid)
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
          array(select pg_catalog.pg_get_userbyid(u) from pg_catalog.unnest(p.polroles) u order by 1),
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
      ${hashOf('pg_catalog.concat_ws($$ $$, f.ftoptions, s.srvoptions, s.srvversion)')}
    from relations r
    join pg_catalog.pg_foreign_table f on f.ftrelid = r.oid
    join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
    union all
    select f.oid::int8, 'owner', pg_catalog.pg_get_userbyid(f.proowner)
    from bodies f
    where f.prosecdef and f.proowner <> (select a.oid from pg_catalog.pg_roles a where a.rolname = current_user)
    union all
    select f.oid::int8, 'volatile', 'yes'
    from bodies f
    where f.provolatile = 'v'
    union all
    select t.oid::int8, f.name, f.value
    from pg_catalog.pg_type t
    join schemas s on s.oid = t.typnamespace
    cross join lateral (
      values
        ('base', pg_catalog.format_type(t.typbasetype, t.typtypmod)),
        ('not null', case when t.typnotnull then 'yes' end),
        ('default', ${hashOf('t.typdefault')})
    ) f (name, value)
    where t.typtype = 'd' and f.value is not null`;

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
      select 'pg_catalog.pg_class'::pg_catalog.regclass, r.oid, r.oid, true
      from relations r
      union all
      select 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, t.oid, true
      from pg_catalog.pg_type t
      where t.typtype = 'd'
      union all
      select 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid, f.oid, false
      from bodies f
    ) o
    join pg_catalog.pg_depend x on x.classid = o.class and x.objid = o.oid
    left join pg_catalog.pg_operator p
      on x.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and p.oid = x.refobjid
    cross join lateral (select coalesce(p.oprcode::oid, x.refobjid) as node) e
    where
      e.node <> o.node
      and x.refclassid in (
        'pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_proc'::pg_catalog.regclass,
        'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_type'::pg_catalog.regclass
      )
    union
    select k.confrelid::int8, k.conrelid::int8, true
    from pg_catalog.pg_constraint k
    where k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
    union
    select i.inhparent::int8, i.inhrelid::int8, w.is_written
    from pg_catalog.pg_inherits i
    cross join (values (false), (true)) w (is_written)`;
  return { facts, texts: bodies, ties };
}

/** Functions whose texts are read: not those in C, and not those that extensions bring. */
export const bodiesScope = `
  bodies as materialized (
    select f.*
    from pg_catalog.pg_proc f
    join schemas s on s.oid = f.pronamespace
    join pg_catalog.pg_language l on l.oid = f.prolang
    where
      (l.lanname not in ('internal', 'c') or f.prokind = 'a')
      and f.oid not in (
        select x.objid
        from pg_catalog.pg_depend x
        where x.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and x.deptype in ('e', 'i')
      )
  )`;
