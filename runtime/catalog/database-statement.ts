/**
 * Parts of the catalog's statement for what decides the meaning of expressions and texts and belongs to no relation or function:
 * types, collations, sequences, text search, and, for the database as a whole, operators, casts, settings and event triggers.
 */

/** SQL: the object is of no extension. */
export function isOwn(catalog: string, oid: string): string {
  return `${oid} not in (
        select x.objid
        from pg_catalog.pg_depend x
        where x.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass and x.deptype in ('e', 'i')
      )`;
}

type HashOf = (text: string) => string;

/** Domains, enums, composite types, ranges and those of {@link namedObjects}. */
export function typeFactsSql(hashOf: HashOf): string {
  return `
    select t.oid::int8, f.name, f.value
    from pg_catalog.pg_type t
    join schemas s on s.oid = t.typnamespace
    left join pg_catalog.pg_class c on c.oid = t.typrelid
    cross join lateral (
      values
        ('base', case t.typtype when 'd' then pg_catalog.format_type(t.typbasetype, t.typtypmod) end),
        ('not null', case when t.typtype = 'd' and t.typnotnull then 'yes' end),
        ('default', case t.typtype when 'd' then ${hashOf('t.typdefault')} end),
        (
          'definition',
          case t.typtype
            when 'e' then array(select l.enumlabel::text from pg_catalog.pg_enum l where l.enumtypid = t.oid order by l.enumsortorder)::text
            when 'c' then array(
              select pg_catalog.concat_ws(' ', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), nullif(a.attcollation, y.typcollation)::pg_catalog.regcollation)
              from pg_catalog.pg_attribute a
              join pg_catalog.pg_type y on y.oid = a.atttypid
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              order by a.attnum
            )::text
            when 'r' then (
              select pg_catalog.concat_ws(
                ' ', pg_catalog.format_type(g.rngsubtype, null), nullif(g.rngcollation, 0)::pg_catalog.regcollation, o.opcname,
                g.rngcanonical, g.rngsubdiff
              )
              from pg_catalog.pg_range g
              join pg_catalog.pg_opclass o on o.oid = g.rngsubopc
              where g.rngtypid = t.oid
            )
          end
        )
    ) f (name, value)
    where t.typtype in ('d', 'e', 'r', 'c') and coalesce(c.relkind, 'c') = 'c' and f.value is not null
    union all
    select q.seqrelid::int8, 'definition', pg_catalog.concat_ws(' ', q.seqincrement, q.seqmin, nullif(q.seqmax, case q.seqtypid when 'pg_catalog.int2'::pg_catalog.regtype then 32767 when 'pg_catalog.int4'::pg_catalog.regtype then 2147483647 else 9223372036854775807 end), q.seqstart, case when q.seqcycle then 'cycle' end)
    from pg_catalog.pg_sequence q
    union all
    select l.oid::int8, 'definition', ${hashOf("(pg_catalog.to_jsonb(l) - array['oid', 'collname', 'collnamespace', 'collowner', 'collversion'])::text")}
    from pg_catalog.pg_collation l
    join schemas s on s.oid = l.collnamespace
    union all
    select
      f.oid::int8, 'definition',
      ${hashOf(
        `array(
          select pg_catalog.concat_ws(' ', f.cfgparser, m.maptokentype, m.mapseqno, m.mapdict::pg_catalog.regdictionary)
          from pg_catalog.pg_ts_config_map m
          where m.mapcfg = f.oid
          order by 1
        )::text`,
      )}
    from pg_catalog.pg_ts_config f
    join schemas s on s.oid = f.cfgnamespace
    union all
    select d.oid::int8, 'definition', ${hashOf("pg_catalog.concat_ws(' ', t.tmplname, d.dictinitoption)")}
    from pg_catalog.pg_ts_dict d
    join schemas s on s.oid = d.dictnamespace
    join pg_catalog.pg_ts_template t on t.oid = d.dicttemplate`;
}

/** Objects that are identified by kind, schema and name. */
export const namedObjects = `
    select c.oid::int8, s.name as schema, c.relname as name, 'sequence' as kind
    from pg_catalog.pg_class c
    join schemas s on s.oid = c.relnamespace
    where c.relkind = 'S'
    union all
    select l.oid::int8, s.name, l.collname, 'collation'
    from pg_catalog.pg_collation l
    join schemas s on s.oid = l.collnamespace
    union all
    select f.oid::int8, s.name, f.cfgname, 'text search configuration'
    from pg_catalog.pg_ts_config f
    join schemas s on s.oid = f.cfgnamespace
    union all
    select d.oid::int8, s.name, d.dictname, 'text search dictionary'
    from pg_catalog.pg_ts_dict d
    join schemas s on s.oid = d.dictnamespace`;

/**
 * Facts of the database as a whole, under OID 0. They include the settings that change what a statement means for the account that reads
 * the catalog; their values are hashed, because applications keep secrets in them.
 */
export function databaseFacts(hashOf: HashOf): string {
  const called = (oid: string) =>
    `(select pg_catalog.pg_get_functiondef(f.oid) from pg_catalog.pg_proc f where f.oid = ${oid} and f.prokind <> 'a')`;
  return `
    select 0::int8, 'operator ' || o.oid::pg_catalog.regoperator, ${hashOf(called('o.oprcode'))}
    from pg_catalog.pg_operator o
    join schemas s on s.oid = o.oprnamespace
    where o.oprcode <> 0 and ${isOwn('pg_operator', 'o.oid')}
    union all
    select
      0, 'cast ' || pg_catalog.format_type(c.castsource, null) || ' as ' || pg_catalog.format_type(c.casttarget, null),
      ${hashOf(`pg_catalog.concat_ws(' ', c.castcontext, c.castmethod, ${called('c.castfunc')})`)}
    from pg_catalog.pg_cast c
    where c.oid >= 16384 and ${isOwn('pg_cast', 'c.oid')}
    union all
    select
      0, 'operator class ' || s.name || '.' || o.opcname || ' ' || m.amname,
      ${hashOf(
        `pg_catalog.concat_ws(
          ' ', o.opcintype::pg_catalog.regtype, o.opcdefault,
          array(
            select pg_catalog.concat_ws(' ', a.amopstrategy, a.amopopr::pg_catalog.regoperator)
            from pg_catalog.pg_amop a
            where a.amopfamily = o.opcfamily
            order by 1
          ),
          array(
            select pg_catalog.concat_ws(' ', a.amprocnum, pg_catalog.pg_get_functiondef(a.amproc))
            from pg_catalog.pg_amproc a
            where a.amprocfamily = o.opcfamily
            order by 1
          )
        )`,
      )}
    from pg_catalog.pg_opclass o
    join schemas s on s.oid = o.opcnamespace
    join pg_catalog.pg_am m on m.oid = o.opcmethod
    where ${isOwn('pg_opclass', 'o.oid')}
    union all
    select 0, 'event trigger ' || e.evtname, ${hashOf(`pg_catalog.concat_ws(' ', e.evtevent, e.evtenabled, e.evttags, ${called('e.evtfoid')})`)}
    from pg_catalog.pg_event_trigger e
    where ${isOwn('pg_event_trigger', 'e.oid')}
    union all
    select 0, 'no usage ' || s.name::text, 'yes'
    from schemas s
    where not pg_catalog.has_schema_privilege(s.oid, 'usage')
    union all
    select 0, 'setting ' || v.name, v.value
    from (
      select distinct on (1) pg_catalog.split_part(e, '=', 1) as name, ${hashOf('e')} as value
      from pg_catalog.pg_db_role_setting d
      cross join lateral pg_catalog.unnest(d.setconfig) e
      where
        d.setdatabase in (0, (select b.oid from pg_catalog.pg_database b where b.datname = pg_catalog.current_database()))
        and d.setrole in (0, (select a.oid from pg_catalog.pg_roles a where a.rolname = current_user))
      order by 1, d.setrole desc, d.setdatabase desc
    ) v
    left join pg_catalog.pg_settings p on p.name = v.name
    where
      p.name is null
      or p.category ~ '^(Client Connection Defaults|Version and Platform|Customized)' and p.unit is null`;
}
