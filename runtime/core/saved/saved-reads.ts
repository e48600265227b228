/** What a saved live query reads, as its file says it: of the statement itself, because rules are those of the role. */
import { objectKey } from '../names.ts';
import type { Table } from '../program/program.ts';
import type { ParameterNode, Sql } from '../sql/fragment.ts';
import { comparedKeys, notesOf, type PlacedRelation, type ReadNotes } from '../sql/reads.ts';
import type { SavedRead, SavedReads } from './saved.ts';

/** @param holeOf what a hole names a parameter, with its type */
export function savedReads(tree: Sql, holeOf: (parameter: ParameterNode) => string): SavedReads {
  const { places, functions, words, hasMoment, isUnknown } = notesOf(tree, true);
  const names = [...functions.values()].map(({ schema, name }) => [schema, name] as const);
  return {
    tables: places.map(({ schema, name, alias, columns, keys, hole }): SavedRead => {
      const table = objectKey(schema, name);
      const where = keys.map(({ column, value }) => [column, holeOf(value)] as const);
      return {
        table,
        ...(alias !== undefined && { as: alias }),
        ...(columns && { columns }),
        ...(where.length > 0 && { where: Object.fromEntries(where) }),
        ...(hole !== undefined && {
          rule: hole.split(ruleHole(table, alias!))[1]?.trim() || (true as const),
        }),
      };
    }),
    ...(names.length > 0 && { functions: names }),
    ...(words.size > 0 && { words: [...words].sort() }),
    ...(hasMoment && { moment: true as const }),
    ...(isUnknown && { unknown: true as const }),
  };
}

function ruleHole(table: string, alias: string): string {
  return `select ${table} "${alias}"`;
}

/**
 * @param find a served table by its key
 * @param holes what was put in the holes of the text
 */
export function linkReads(
  reads: SavedReads | undefined,
  find: (key: string) => Table,
  holes: ReadonlyMap<string, Sql>,
): ReadNotes {
  const places = reads?.tables.map(({ table, as: alias, columns, where = {}, rule }): PlacedRelation => {
    const { schema, name } = find(table).shape;
    const values = Object.entries(where).flatMap(([column, hole]) => {
      const [value] = holes.get(hole)?.nodes ?? [];
      return value?.kind === 'parameter' ? [{ column, value }] : [];
    });
    const hole = rule && alias && [ruleHole(table, alias), ...(rule === true ? [] : [rule])].join(' ');
    const condition = hole ? holes.get(hole) : undefined;
    return {
      schema,
      name,
      ...(alias !== undefined && { alias }),
      columns,
      keys: [...values, ...(condition ? comparedKeys(condition, alias!) : [])],
    };
  });
  return {
    places: places ?? [],
    functions: new Map(
      reads?.functions?.map(([schema, name]) => [objectKey(schema, name), { schema, name }] as const),
    ),
    words: new Set(reads?.words),
    hasMoment: reads?.moment ?? false,
    isUnknown: reads ? (reads.unknown ?? false) : true,
  };
}
