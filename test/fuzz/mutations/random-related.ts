/** Random changes of an update, with changes of related rows. */
import type { Condition } from '../queries/condition.ts';
import { type Relationship, type Table, tableNamed } from '../queries/project.ts';
import { EVERYTHING, rulesOf } from './permissions.ts';
import { createObjects } from './random-objects.ts';
import type { Values, Writer } from './random-values.ts';
import type { Change, Changes, Related, UpdateEntry } from './request.ts';
import { baseOf, isParent, RULES } from './tables.ts';

/** How many updates may be related to each other. */
const DEPTH = 3;

export function createRelated(writer: Writer, values: Values) {
  const { random, project, permissions, who } = writer;
  const { updatable, where, changes } = values;
  const { rows } = createObjects(writer, values, undefined);
  return {
    changesWithRelated,
    entry: (table: Table): UpdateEntry => {
      const update = changesWithRelated(table);
      return { where: update.related.length > 0 ? lenient(table) : where(table), ...update };
    },
  };

  function changesWithRelated(table: Table): Changes {
    return random.chance(0.6) ? changesOf(table, DEPTH) : { changes: changes(table), related: [] };
  }

  /** Rows have to be reached through several conditions, so most hold for every row. */
  function lenient(table: Table): Condition {
    return random.chance(0.5) ? EVERYTHING : where(table);
  }

  /** Fewer changes of what has to be unique or to refer to a row: they make a mutation of many rows fail. */
  function mildChanges(table: Table): Change[] {
    const { keys, references } = RULES[baseOf(table.name)]!;
    const strict = new Set([...Object.values(keys).flat(), ...references.flatMap(({ columns }) => columns)]);
    const all = changes(table);
    return random.chance(0.2) ? all : all.filter(({ column }) => !strict.has(column));
  }

  function changesOf(table: Table, depth: number): Changes {
    const related = depth > 0 ? relatedOf(table, depth) : [];
    // Without changes of its own, an update only chooses the rows.
    return { changes: related.length > 0 && random.chance(0.25) ? [] : mildChanges(table), related };
  }

  function relatedOf(table: Table, depth: number): Related[] {
    return random.shuffle(table.relationships).flatMap((relationship): Related[] => {
      if (!random.chance(0.4)) return [];
      const { name, kind, target: to } = relationship;
      const target = tableNamed(project, to);
      const rules = rulesOf(permissions, who, to);
      const isArray = kind === 'array';
      const related: Related = {
        relationship: name,
        kind,
        target: to,
        delete: isArray && rules.delete && random.chance(0.25) ? lenient(target) : undefined,
        updates:
          updatable(target).length > 0 && random.chance(0.8)
            ? random.list(isArray ? random.pick([1, 1, 2]) : 1, () => ({
                where: lenient(target),
                ...changesOf(target, depth - 1),
              }))
            : [],
        insert:
          isArray && rules.insert && isOrdered(table) && random.chance(0.45)
            ? rows(target, random.pick([0, 1, 1, 2, 3]), theirs(relationship))
            : undefined,
      };
      return related.delete || related.updates.length > 0 || related.insert ? [related] : [];
    });
  }

  /** Rows are inserted in the order of the keys of those that they hang on, so that the model knows their numbers. */
  function isOrdered({ primaryKey }: Table): boolean {
    return primaryKey.length > 0;
  }

  function theirs(relationship: Relationship): string[] {
    return isParent(relationship) ? [] : relationship.columns.map(([, other]) => other);
  }
}
