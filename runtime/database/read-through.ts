/** Relations whose rows are read through another one, in the catalogs of Postgres. */

/**
 * A query of the relations (`oid`) that `r.oid` leads to: of a view what it reads, of a table its partitions and heirs, and the
 * tables that it is one of. `r` is the relation in the query around it.
 */
export const READ_THROUGH = `select d.refobjid from pg_rewrite as w
    join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where w.ev_class = r.oid
    union all select inhparent from pg_inherits where inhrelid = r.oid
    union all select inhrelid from pg_inherits where inhparent = r.oid`;
