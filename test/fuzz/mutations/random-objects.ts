/** Random objects to insert, with others nested in them. */
import { type Column, type Relationship, type Table, tableNamed } from '../queries/project.ts';
import type { Value } from '../queries/types.ts';
import { rulesOf } from './permissions.ts';
import type { Values, Writer } from './random-values.ts';
import type { Conflict, InsertObject, Nested } from './request.ts';
import { baseOf, isParent, isRequired, RULES } from './tables.ts';

/** Of an insert whose rows have nothing to do with each other but by nesting, which may be inserted in batches. */
export interface Shape {
  /** By table. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** How many levels may hang on the first one. */
  readonly depth: number;
  /** Yet rows refer to others by name, which may come before them or after. */
  readonly byName: boolean;
}

/** Tables whose rows refer to others by name, and the one between them. */
const BY_NAME = ['team', 'player', 'profile'];

/** How often rows that refer to each other by name have the same one: teams, and what refers to them. */
const SAME_NAME: Readonly<Record<string, number>> = { name: 0.5, sponsor: 1 };

/** Whether objects may come by a table again: not at all, by a view of it, or by itself as well. */
export type Again = 'never' | 'by a view' | 'anyhow';

export function randomShape({ random, project }: Writer, root: Table, again: Again): Shape {
  const relationships = new Map<string, Relationship[]>([[root.name, []]]);
  const byName = again === 'never' && random.chance(0.5);
  const wanted = ({ name, kind }: Table): number => {
    if (byName && BY_NAME.includes(name)) return 0.9;
    return again !== 'never' ? 0.7 : kind === 'view' ? 0.15 : 0.5;
  };
  const visit = (table: Table) => {
    for (const relationship of random.shuffle(table.relationships)) {
      const { target } = relationship;
      const known = relationships.has(target);
      if (known && again !== 'anyhow') continue;
      if (!random.chance(wanted(tableNamed(project, target)))) continue;
      relationships.get(table.name)!.push(relationship);
      if (known) continue;
      relationships.set(target, []);
      visit(tableNamed(project, target));
    }
  };
  visit(root);
  return { relationships, depth: again === 'never' ? 3 : 2, byName };
}

export interface Objects {
  readonly objects: readonly InsertObject[];
  readonly conflict: Conflict | undefined;
}

/** @param shape undefined: anything goes */
export function createObjects(
  { random, project, permissions, who, flat, names }: Writer,
  { insertable, updatable, cell, where }: Values,
  shape: Shape | undefined,
): {
  readonly objects: (table: Table, count: number) => Objects;
  /** Without nested ones. `without`: columns that are given otherwise. */
  readonly rows: (table: Table, count: number, without: readonly string[]) => Objects;
} {
  return {
    objects: (table, count) => rowsAndConflict(table, count, shape?.depth ?? 2, [], 1),
    rows: (table, count, without) => rowsAndConflict(table, count, 0, without, 0.4),
  };

  /** `conflicts`: how probable a conflict clause is; with one, rows often have keys that are there already. */
  function rowsAndConflict(
    table: Table,
    count: number,
    depth: number,
    without: readonly string[],
    conflicts: number,
  ): Objects {
    const clause = random.chance(conflicts) ? conflict(table) : undefined;
    const key = clause ? RULES[table.name]!.keys[clause.constraint]! : [];
    const { rows } = tableNamed(project, table.name);
    const own = insertable(table).map(({ name }) => name);
    const objects = random.list(count, () => {
      const made = object(table, depth, without);
      if (!clause || rows.length === 0 || !random.chance(0.7)) return made;
      const there = random.pick(rows);
      const taken = key.filter((name) => own.includes(name) && !without.includes(name));
      return {
        ...made,
        columns: { ...made.columns, ...Object.fromEntries(taken.map((name) => [name, there[name]!])) },
      };
    });
    return { objects, conflict: clause };
  }

  /** `without`: columns that a parent gives. */
  function object(table: Table, depth: number, without: readonly string[]): InsertObject {
    const nested = depth > 0 ? nestedOf(table, depth, without) : [];
    const taken = new Set([
      ...without,
      ...nested.flatMap(({ relationship: name }) => {
        const relationship = table.relationships.find((each) => each.name === name)!;
        return isParent(relationship) ? relationship.columns.map(([own]) => own) : [];
      }),
    ]);
    const columns: Record<string, Value> = {};
    for (const column of insertable(table)) {
      // Once in a while a column that is determined already, which must be refused.
      if (!random.chance(taken.has(column.name) ? 0.005 : given(table, column))) continue;
      const same = shape?.byName ? (SAME_NAME[column.name] ?? 0) : 0;
      columns[column.name] = random.chance(same) ? names[0]! : cell(table, column);
    }
    for (const reference of RULES[baseOf(table.name)]!.references) {
      const { rows } = tableNamed(project, reference.target);
      const whole = reference.columns.every((name) => Object.hasOwn(columns, name));
      if (reference.columns.length === 1 || !whole || rows.length === 0 || random.chance(0.2)) continue;
      const row = random.pick(rows);
      reference.columns.forEach((name, index) => {
        columns[name] = row[reference.targetColumns[index]!]!;
      });
    }
    return { columns, nested };
  }

  /** How often a column is given: nearly always where it has to be, seldom where a sequence fills it. */
  function given(table: Table, column: Column): number {
    if (isRequired(table.name, column.name)) return 0.995;
    if (column.name === RULES[baseOf(table.name)]!.serial) return 0.12;
    if (shape?.byName && Object.hasOwn(SAME_NAME, column.name)) return 0.6;
    if (mayMeet(table, column)) return column.type === 'text' ? 0.3 : 0.05;
    return 0.5;
  }

  /** Whether the column may refer to other rows of the shape. */
  function mayMeet(table: Table, { name }: Column): boolean {
    const { references } = RULES[baseOf(table.name)]!;
    const tables = [...(shape?.relationships.keys() ?? [])].map(baseOf);
    return references.some(({ columns, target }) => columns.includes(name) && tables.includes(target));
  }

  function nestedOf(table: Table, depth: number, without: readonly string[]): Nested[] {
    if (flat) return [];
    return (shape?.relationships.get(table.name) ?? table.relationships).flatMap((relationship): Nested[] => {
      const target = tableNamed(project, relationship.target);
      const parent = isParent(relationship);
      const own = relationship.columns.map(([column]) => column);
      if (!rulesOf(permissions, who, target.name).insert) return [];
      if (parent && own.some((name) => without.includes(name)) && !random.chance(0.01)) return [];
      // A row that has to refer to another one needs it nested where there is none.
      const needed = parent && target.rows.length === 0 && own.some((name) => isRequired(table.name, name));
      if (!random.chance(needed || shape?.byName ? 0.95 : !shape ? 0.22 : parent ? 0.88 : 0.7)) return [];
      const count = relationship.kind === 'object' ? 1 : random.pick([0, 1, 1, 2, 2, 3]);
      const theirs = parent ? [] : relationship.columns.map(([, other]) => other);
      return [
        {
          relationship: relationship.name,
          kind: relationship.kind,
          target: target.name,
          ...rowsAndConflict(target, count, depth - 1, theirs, 0.4),
        },
      ];
    });
  }

  function conflict(table: Table): Conflict | undefined {
    const { keys } = RULES[baseOf(table.name)]!;
    if (shape || table.kind === 'view' || random.chance(0.4)) return undefined;
    return {
      constraint: random.pick(Object.keys(keys)),
      columns: random.chance(0.25) ? [] : random.some(updatable(table), 0.6).map(({ name }) => name),
      where: random.chance(0.45) ? where(table) : undefined,
    };
  }
}
