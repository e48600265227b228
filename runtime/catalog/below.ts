/**
 * What evaluating an object looks at, through everything that it is made of: views below views, expressions of columns, bodies of
 * functions, rows of tables that others inherit from. For audits, which must not miss a way by which a value comes out.
 */

import type { Below } from '../core/contract/shapes.ts';
import { objectKey } from '../core/names.ts';
import { groupBy } from '../core/remember.ts';
import { OPAQUE_EXTENSIONS, OPAQUE_FUNCTIONS, OPAQUE_RELATIONS } from './opaque.ts';
import { sortedRecord } from './order.ts';
import type { RawCatalog, RawReader, RawRelation, RawRoutine } from './raw-catalog.ts';
import type { BodyNames, ReadBody } from './sql-body.ts';
import { readViewOrigins } from './view-origins.ts';

export interface BelowLookup {
  /** Views only. */
  readonly ofRelation: (oid: number) => Below | undefined;
  /** What a column is computed from or copied from: by a default, an expression, or the view that shows it. */
  readonly ofColumn: (relation: number, position: number) => Below | undefined;
  readonly ofFunction: (oid: number) => Below | undefined;
}

interface Columns {
  readonly relation: number;
  /** 0: each. */
  readonly position: number;
}

/** What one expression mentions itself. */
interface Direct {
  readonly columns: Columns[];
  readonly functions: number[];
  unread?: string;
  shows?: number;
}

/** @param readBody absent: bodies of functions are not read */
export function readBelow(raw: RawCatalog, readBody?: ReadBody): BelowLookup {
  const graph = directOf(raw, readBody);
  const { relations, routines, names } = graph;
  const keyOf = (oid: number) => {
    const { schema, name } = (relations.get(oid) ?? routines.get(oid))!;
    return objectKey(schema, name);
  };
  const ofColumn = (relation: number, position: number): Below | undefined => {
    const id = idOf({ relation, position, function: 0 });
    if (graph.direct.has(id))
      return closureOf({ id, key: `${keyOf(relation)}.${names.get(relation)!.get(position)!}` }, graph);
    const origin = graph.origins.get(relation)?.get(position);
    return origin && belowOrigin(origin);
  };
  /** What there is below the column that a view shows, which is known as its origin. */
  const belowOrigin = (shown: Columns): Below | undefined => {
    const { relation, position } = shown;
    const kind = relations.get(relation)?.kind;
    if (kind === undefined) return undefined;
    if (kind === 'v') return ofColumn(relation, position);
    const origin = graph.origins.get(relation)?.get(position);
    if (origin) return closureOf({ shown: origin }, graph);
    return graph.parents.has(relation) ? closureOf({ shown }, graph) : ofColumn(relation, position);
  };
  return {
    ofRelation: (oid) =>
      relations.get(oid)!.query === null
        ? undefined
        : closureOf({ id: idOf({ relation: oid, position: 0, function: 0 }), key: keyOf(oid) }, graph),
    ofColumn,
    ofFunction: (oid) =>
      closureOf({ id: idOf({ relation: 0, position: 0, function: oid }), key: keyOf(oid) }, graph),
  };
}

interface Graph {
  readonly direct: ReadonlyMap<string, Direct>;
  readonly relations: ReadonlyMap<number, RawRelation>;
  readonly names: ReadonlyMap<number, ReadonlyMap<number, string>>;
  readonly parents: ReadonlyMap<number, readonly number[]>;
  readonly routines: ReadonlyMap<number, RawRoutine>;
  readonly origins: ReadonlyMap<number, ReturnType<typeof readViewOrigins>>;
}

function idOf({ relation, position, function: called }: RawReader): string {
  return `${relation} ${position} ${called}`;
}

function directOf(raw: RawCatalog, readBody: ReadBody | undefined): Graph {
  const direct = new Map<string, Direct>();
  const at = (reader: RawReader): Direct => {
    const id = idOf(reader);
    const known = direct.get(id) ?? { columns: [], functions: [] };
    direct.set(id, known);
    return known;
  };
  const relations = new Map(raw.relations.map((relation) => [relation.oid, relation]));
  const names = new Map<number, Map<number, string>>();
  for (const { relation, position, name } of raw.columns)
    names.set(relation, (names.get(relation) ?? new Map()).set(position, name));
  const relationOfType = new Map(
    raw.types.flatMap(({ oid, relation }) => (relation === null ? [] : [[oid, relation] as const])),
  );
  for (const read of raw.reads)
    at(read).columns.push({ relation: read.source, position: read.source_position });
  for (const use of raw.uses) at(use).functions.push(use.called);
  for (const whole of raw.wholes) {
    const found = at(whole);
    if (whole.is_opaque) found.unread = 'runs SQL that is given as text, or reads statistics or files';
    for (const type of whole.types) {
      const relation = relationOfType.get(type);
      // A row of a join or a subquery: whatever the query mentions.
      const all = relation ? [relation] : whole.relations;
      found.columns.push(...all.map((each) => ({ relation: each, position: 0 })));
    }
  }
  const lookUp = nameLookup(raw, relationOfType);
  const routines = new Map(raw.routines.map((routine) => [routine.oid, routine]));
  for (const routine of raw.routines) {
    const found = at({ relation: 0, position: 0, function: routine.oid });
    const names = routine.body === null ? undefined : readBody?.(routine.body);
    if (names) Object.assign(found, lookUp(routine, names, found));
    else {
      const reason = unreadBecause(routine);
      if (reason !== undefined) found.unread = reason;
    }
  }
  return {
    direct,
    relations,
    names,
    parents: new Map(
      [...groupBy(raw.inheritance, ({ relation }) => relation)].map(([oid, list]) => [
        oid,
        list.map(({ parent }) => parent),
      ]),
    ),
    routines,
    origins: new Map(
      raw.relations.flatMap(({ oid, query }) => (query === null ? [] : [[oid, readViewOrigins(query)]])),
    ),
  };
}

/** Why it is not known what the function reads; undefined if it is known, by dependencies or because it reads nothing. */
export function unreadBecause({
  language,
  extension,
  body,
  is_aggregate: isAggregate,
  is_immutable: isImmutable,
}: RawRoutine): string | undefined {
  if (isAggregate) return undefined;
  if (language === 'sql') return body === null ? undefined : 'its body is not read';
  if (language !== 'c' && language !== 'internal') return `its body is not read: ${language}`;
  if (extension !== null)
    return OPAQUE_EXTENSIONS.has(extension) ? `of the extension ${extension}` : undefined;
  return language === 'internal' || isImmutable ? undefined : 'its body is not read: c';
}

/** Finds what names in a body may be. */
function nameLookup(raw: RawCatalog, relationOfType: ReadonlyMap<number, number>) {
  const relationsByName = groupBy(raw.relations, ({ name }) => name);
  const columnsByRelation = groupBy(raw.columns, ({ relation }) => relation);
  const routinesByName = groupBy(raw.routines, ({ name }) => name);
  const functionsByOperator = groupBy(raw.operators, ({ name }) => name);
  const casts = (functionsByOperator.get(null) ?? []).map((each) => each.function);
  const [opaqueFunction, opaqueRelation] = [new RegExp(OPAQUE_FUNCTIONS), new RegExp(OPAQUE_RELATIONS)];
  return (routine: RawRoutine, body: BodyNames, found: Direct): Partial<Direct> => {
    const withSchema = (schema: string | undefined, name: string) =>
      (relationsByName.get(name) ?? []).filter((each) => schema === undefined || each.schema === schema);
    const whole = (...called: (string | undefined)[]) =>
      body.wholes === 'all' ||
      called.some((name) => name !== undefined && (body.wholes as ReadonlySet<string>).has(name));
    const add = (relation: number, isWhole: boolean) => {
      for (const { position, name } of columnsByRelation.get(relation) ?? [])
        if (isWhole || body.columns.has(name)) found.columns.push({ relation, position });
    };
    for (const { schema, name, alias } of body.relations)
      for (const { oid } of withSchema(schema, name)) add(oid, whole(alias, name));
    const types = routine.argument_types === '' ? [] : routine.argument_types.split(' ').map(Number);
    for (const [index, type] of types.entries()) {
      const relation = relationOfType.get(type);
      if (relation !== undefined)
        add(relation, whole(`$${index + 1}`, routine.argument_names?.[index] || undefined));
    }
    for (const name of new Set([...body.functions, ...body.columns])) {
      found.functions.push(...(routinesByName.get(name) ?? []).map(({ oid }) => oid));
      found.functions.push(...(functionsByOperator.get(name) ?? []).map((each) => each.function));
    }
    found.functions.push(...casts);
    const isOpaque =
      body.isOpaque ||
      [...body.functions].some((name) => opaqueFunction.test(name)) ||
      body.relations.some(({ name }) => opaqueRelation.test(name));
    const shown = body.shows && withSchema(body.shows.schema, body.shows.name);
    const result = relationOfType.get(routine.returns);
    const isShown = shown?.length === 1 && shown[0]!.oid === result;
    // Its rows become another type: every column is mentioned.
    if (shown && !isShown) for (const { oid } of shown) add(oid, true);
    return {
      ...(isOpaque && { unread: 'runs SQL that is given as text, or reads statistics or files' }),
      ...(isShown && { shows: result! }),
    };
  };
}

interface Start {
  /** An expression, by its id, and the name of what it belongs to. */
  readonly id?: string;
  readonly key?: string;
  /** A column that a view shows. */
  readonly shown?: Columns;
}

function closureOf(start: Start, { direct, relations, names, parents, routines }: Graph): Below | undefined {
  const reads = new Map<number, Set<number>>();
  const functions = new Set<number>();
  const unread = new Map<string, string>();
  const seen = new Set<string>();
  const follow = (id: string, key: () => string) => {
    const found = direct.get(id);
    if (!found || seen.has(id)) return;
    seen.add(id);
    if (found.unread !== undefined) unread.set(key(), found.unread);
    include(found);
  };
  const column = (relation: number, position: number): void => {
    const known = reads.get(relation) ?? new Set();
    reads.set(relation, known);
    if (known.has(position)) return;
    known.add(position);
    const name = names.get(relation)?.get(position);
    const { schema, name: table } = relations.get(relation) ?? {};
    if (schema === undefined || name === undefined) return;
    const key = objectKey(schema, table!);
    follow(idOf({ relation, position, function: 0 }), () => `${key}.${name}`);
    follow(idOf({ relation, position: 0, function: 0 }), () => key);
    for (const parent of parents.get(relation) ?? [])
      for (const [at, other] of names.get(parent) ?? []) if (other === name) column(parent, at);
  };
  const include = (found: Direct): void => {
    for (const { relation, position } of found.columns)
      for (const each of position === 0 ? (names.get(relation)?.keys() ?? []) : [position])
        column(relation, each);
    const shown = found.shows;
    if (shown !== undefined && found !== direct.get(start.id ?? ''))
      for (const each of names.get(shown)?.keys() ?? []) column(shown, each);
    for (const oid of found.functions) {
      const routine = routines.get(oid);
      if (!routine) continue;
      functions.add(oid);
      follow(idOf({ relation: 0, position: 0, function: oid }), () =>
        objectKey(routine.schema, routine.name),
      );
    }
  };
  if (start.id !== undefined) follow(start.id, () => start.key!);
  else column(start.shown!.relation, start.shown!.position);
  const shows = start.id === undefined ? undefined : direct.get(start.id)?.shows;
  const shown = shows === undefined ? undefined : relations.get(shows);
  const read = [...reads].flatMap(([oid, positions]): [string, string[]][] => {
    const relation = relations.get(oid);
    const columns = [...positions]
      .sort((a, b) => a - b)
      .flatMap((position) => names.get(oid)?.get(position) ?? []);
    return relation && columns.length > 0 ? [[objectKey(relation.schema, relation.name), columns]] : [];
  });
  const called = groupBy(
    [...functions]
      .map((oid) => routines.get(oid)!)
      .filter(({ extension, language }) => extension === null && language !== 'internal'),
    ({ schema, name }) => objectKey(schema, name),
  );
  const below: Below = {
    ...(read.length > 0 && { reads: sortedRecord(read) }),
    ...(called.size > 0 && {
      calls: sortedRecord(
        [...called].map(([key, list]) => [
          key,
          list
            .map(({ definition }) => definition ?? '')
            .sort()
            .join(' '),
        ]),
      ),
    }),
    ...(unread.size > 0 && { unread: sortedRecord([...unread]) }),
    ...(shown && { shows: objectKey(shown.schema, shown.name) }),
  };
  return Object.keys(below).length > 0 ? below : undefined;
}
