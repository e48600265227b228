/**
 * Which relations a view, a function or a write comes to by any path: views below views, functions that functions call, by
 * operators, casts, domains and policies as well. By relations alone, so that what mentions no column is found, too.
 */
import { objectKey } from '../core/names.ts';
import { groupBy } from '../core/remember.ts';
import { unreadBecause } from './below.ts';
import { OPAQUE_FUNCTIONS, OPAQUE_RELATIONS } from './opaque.ts';
import type { RawCatalog, RawRoutine } from './raw-catalog.ts';
import type { BodyNames, ReadBody } from './sql-body.ts';

/**
 * Nodes: `r` a relation that is read, `f` a function, `t` a domain, `p` the policies of a relation that hold for the current user,
 * `w` what a shard evaluates when a row of a relation is written; each with an OID.
 */
export type Node = `${'r' | 'f' | 't' | 'p' | 'w'}${number}`;

/** Edges that PostgreSQL keeps as dependencies, and the texts of functions in PL/pgSQL. */
export const reachStatement = `
  with objects as (
    select 'pg_catalog.pg_rewrite'::pg_catalog.regclass::oid as class, q.oid, 'r' || q.ev_class as node
    from pg_catalog.pg_rewrite q
    join pg_catalog.pg_class c on c.oid = q.ev_class and c.relkind = 'v'
    where q.ev_type = '1'
    union all
    select 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid, 'f' || f.oid
    from pg_catalog.pg_proc f
    union all
    select 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, 't' || t.oid
    from pg_catalog.pg_type t
    where t.typtype = 'd'
    union all
    select
      'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid,
      case when k.contypid <> 0 then 't' || k.contypid else 'w' || k.conrelid end
    from pg_catalog.pg_constraint k
    where k.contype = 'c'
    union all
    select 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid, 'w' || d.adrelid
    from pg_catalog.pg_attrdef d
    join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated <> ''
    union all
    select 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid, 'w' || i.indrelid
    from pg_catalog.pg_index i
    union all
    select 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, 'p' || p.polrelid
    from pg_catalog.pg_policy p
    where pg_catalog.row_security_active(p.polrelid)
  ),
  edges as (
    select
      o.node,
      case x.refclassid
        when 'pg_catalog.pg_class'::pg_catalog.regclass then 'r' || x.refobjid
        when 'pg_catalog.pg_proc'::pg_catalog.regclass then 'f' || x.refobjid
        when 'pg_catalog.pg_operator'::pg_catalog.regclass then 'f' || p.oprcode::oid
        when 'pg_catalog.pg_type'::pg_catalog.regclass then 't' || x.refobjid
      end as used
    from objects o
    join pg_catalog.pg_depend x on x.classid = o.class and x.objid = o.oid
    left join pg_catalog.pg_operator p
      on x.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass and p.oid = x.refobjid
    union
    select 'w' || a.attrelid, 't' || a.atttypid
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type t on t.oid = a.atttypid and t.typtype = 'd'
  )
  select pg_catalog.json_build_object(
    'edges', (
      select coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(e.node, e.used)), '[]')
      from edges e
      where e.used is not null and pg_catalog.substr(e.used, 2) <> pg_catalog.substr(e.node, 2)
    ),
    'procedures', (
      select coalesce(
        pg_catalog.json_agg(pg_catalog.json_build_array(f.oid::int8, pg_catalog.pg_get_functiondef(f.oid))), '[]'
      )
      from pg_catalog.pg_proc f
      join pg_catalog.pg_language l on l.oid = f.prolang and l.lanname = 'plpgsql'
    )
  )::text as reach`;

/** What `reachStatement` answers. */
export interface RawReach {
  readonly edges: readonly (readonly [node: Node, used: Node])[];
  readonly procedures: readonly (readonly [oid: number, definition: string])[];
}

/** A reached relation that is not a view. */
interface Reached {
  readonly oid: number;
  /** The function whose body names it; undefined: views alone lead there. */
  readonly by: RawRoutine | undefined;
}

export interface Reach {
  readonly relations: readonly Reached[];
  /** Functions on the way. */
  readonly functions: ReadonlySet<number>;
  /** Why it is not known what one of them, or a view, reads. */
  readonly unread?: string;
}

/** @param readBody absent: texts of bodies are not read */
export function reachIn(
  raw: RawCatalog,
  { edges, procedures }: RawReach,
  readBody: ReadBody | undefined,
): (start: Node) => Reach {
  const used = new Map<Node, Node[]>();
  const unread = new Map<Node, string>();
  const add = (node: Node, next: Node) => {
    const known = used.get(node);
    if (known) known.push(next);
    else used.set(node, [next]);
  };
  for (const [node, next] of edges) add(node, next);
  for (const { relation, parent } of raw.inheritance) add(`r${parent}`, `r${relation}`);
  for (const { relation, position, function: called, is_opaque: isOpaque } of raw.wholes)
    if (isOpaque && position === 0) unread.set(called === 0 ? `r${relation}` : `f${called}`, OPAQUE);
  const routines = new Map(raw.routines.map((routine) => [routine.oid, routine]));
  const relations = new Map(raw.relations.map((relation) => [relation.oid, relation]));
  const definitions = new Map(procedures);
  const nodesOf = nameLookup(raw);
  for (const routine of raw.routines) {
    const node: Node = `f${routine.oid}`;
    const { body, language } = routine;
    const names =
      language === 'plpgsql'
        ? readBody?.(definitions.get(routine.oid) ?? '', language)
        : body === null
          ? undefined
          : readBody?.(body);
    if (names) {
      for (const next of nodesOf(names)) add(node, next);
      if (isOpaque(names)) unread.set(node, OPAQUE);
      continue;
    }
    const why = unreadBecause(routine);
    if (why !== undefined) unread.set(node, `cannot be read: ${why}`);
  }
  return (start) => {
    const found = new Map<string, Reached>();
    const functions = new Set<number>();
    let why: string | undefined;
    const seen = new Set<string>();
    const visit = (node: Node, by: RawRoutine | undefined) => {
      const id = `${node} ${by?.oid}`;
      if (seen.has(id)) return;
      seen.add(id);
      const oid = Number(node.slice(1));
      const own = node.startsWith('f') ? routines.get(oid) : undefined;
      if (own) functions.add(oid);
      const relation = node.startsWith('r') ? relations.get(oid) : undefined;
      const reason = unread.get(node);
      const named = own ?? relation;
      if (reason !== undefined && named) why ??= `${objectKey(named.schema, named.name)} ${reason}`;
      if (relation && relation.kind !== 'v') found.set(`${oid} ${by?.oid}`, { oid, by });
      for (const next of used.get(node) ?? []) visit(next, own ?? by);
    };
    visit(start, undefined);
    return { relations: [...found.values()], functions, ...(why !== undefined && { unread: why }) };
  };
}

const OPAQUE = 'runs SQL that is given as text';
const OPAQUE_FUNCTION = new RegExp(OPAQUE_FUNCTIONS);
const OPAQUE_RELATION = new RegExp(OPAQUE_RELATIONS);

function isOpaque({ isOpaque: runsText, functions, relations }: BodyNames): boolean {
  return (
    runsText ||
    [...functions].some((name) => OPAQUE_FUNCTION.test(name)) ||
    relations.some(({ name }) => OPAQUE_RELATION.test(name))
  );
}

/** Everything that names in a body may be, whatever the search path: too much rather than too little. */
function nameLookup(raw: RawCatalog): (names: BodyNames) => Node[] {
  const relations = groupBy(raw.relations, ({ name }) => name);
  const routines = groupBy(raw.routines, ({ name }) => name);
  const operators = groupBy(raw.operators, ({ name }) => name);
  const domains = groupBy(
    raw.types.filter(({ kind }) => kind === 'd'),
    ({ name }) => name,
  );
  const rows = new Set(raw.types.flatMap(({ oid, relation }) => (relation === null ? [] : [`${oid}`])));
  const casts = (operators.get(null) ?? []).map((each): Node => `f${each.function}`);
  return (names) => [
    ...casts,
    ...names.relations.flatMap(({ schema, name }) =>
      (relations.get(name) ?? [])
        .filter((each) => schema === undefined || each.schema === schema)
        .map(({ oid }): Node => `r${oid}`),
    ),
    ...[...names.functions].flatMap((name) => [
      ...(routines.get(name) ?? []).map(({ oid }): Node => `f${oid}`),
      ...(operators.get(name) ?? []).map((each): Node => `f${each.function}`),
    ]),
    // row.name is name(row).
    ...[...names.columns].flatMap((name) =>
      (routines.get(name) ?? [])
        .filter(({ argument_types: types }) => rows.has(types))
        .map(({ oid }): Node => `f${oid}`),
    ),
    ...[...names.types].flatMap((name) => (domains.get(name) ?? []).map(({ oid }): Node => `t${oid}`)),
  ];
}
