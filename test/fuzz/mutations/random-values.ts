/** What a role may write into columns, by chance: values of new rows, changes of those that are there, and conditions. */
import type { Condition } from '../queries/condition.ts';
import { type Grant, grantOf } from '../queries/lens.ts';
import { type Column, columnNamed, type Project, type Table, tableNamed } from '../queries/project.ts';
import { randomCondition } from '../queries/random-condition.ts';
import { TYPES, type TypeName, type Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { EVERYTHING, type Permissions, rulesOf } from './permissions.ts';
import type { Change, Mutation } from './request.ts';
import { baseOf, isRequired, NEW_NAMES, type Reference, RULES } from './tables.ts';

/** Who writes what into which rows. */
export interface Writer {
  readonly random: Random;
  readonly project: Project;
  readonly permissions: Permissions;
  readonly who: Pick<Mutation, 'role' | 'backend'>;
  /**
   * Nothing is nested, so rows may have numbers that a sequence will come to: inserts that are tried in batches first use up
   * more numbers than in the model, and would meet them elsewhere.
   */
  readonly flat: boolean;
  /** A few names that rows get, and other rows refer to. */
  readonly names: readonly string[];
}

/** Numbers that no sequence comes to. */
const FAR = [1000, 9999] as const;

export type Values = ReturnType<typeof createValues>;

export function createValues({ random, project, permissions, who, flat, names }: Writer) {
  return { grant, insertable, updatable, cell, where, changes };

  /** What the role sees of the table. */
  function grant(table: Table): Grant | undefined {
    return grantOf(project, table, who.role);
  }

  function insertable(table: Table): Column[] {
    return ownColumns(table, rulesOf(permissions, who, table.name).insert);
  }

  function updatable(table: Table): Column[] {
    return ownColumns(table, rulesOf(permissions, who, table.name).update);
  }

  function ownColumns(
    table: Table,
    rule: { readonly columns: readonly string[]; readonly set: object } | undefined,
  ): Column[] {
    return (rule?.columns ?? [])
      .filter((name) => !Object.hasOwn(rule!.set, name))
      .map((name) => columnNamed(table, name));
  }

  function cell(table: Table, { name, type, nullable }: Column): Value {
    const rules = RULES[baseOf(table.name)]!;
    // A view's columns are nullable whatever its table says.
    const isKey = isRequired(table.name, name) || name === rules.serial;
    if (nullable && random.chance(isKey ? 0.02 : 0.2)) return null;
    const reference = rules.references.find(({ columns }) => columns.includes(name));
    if (reference) return referred(reference, name, type, nullable);
    if (name === rules.serial) {
      const ids = tableNamed(project, baseOf(table.name)).rows.map(({ id }) => id!);
      if (ids.length > 0 && random.chance(flat ? 0.3 : 0.1)) return random.pick(ids);
      return flat && random.chance(0.5) ? number() : random.between(...FAR);
    }
    // Fewer rows break the CHECKs than keep them.
    if (rules.least?.[0] === name) return random.between(random.chance(0.05) ? -3 : rules.least[1], 8);
    // Fresh texts for what has to be unique, or nearly nothing would be written.
    if (NEW_NAMES.includes(name)) {
      if (random.chance(name === 'nick' ? 0.05 : 0.3)) return random.pick(names);
      if (random.chance(0.95)) return `n${random.below(10_000)}`;
    }
    if (name === 'kind' && random.chance(0.6)) return `${TYPES.text.random(random)}${random.below(100)}`;
    const value = TYPES[type].random(random);
    return value === null && !nullable ? cell(table, { name, type, nullable }) : value;
  }

  /** A number that a row may have, or may come to have. */
  function number(): number {
    return random.between(1, 12);
  }

  /** A value of a row that is there, or may come to be there. */
  function referred(
    { columns, target, targetColumns }: Reference,
    name: string,
    type: TypeName,
    nullable: boolean,
  ): Value {
    const { rows } = tableNamed(project, target);
    const there = rows.map((row) => row[targetColumns[columns.indexOf(name)]!]!);
    if (there.length > 0 && random.chance(type === 'text' ? 0.7 : 0.95)) return random.pick(there);
    if (nullable && random.chance(0.8)) return null;
    return type === 'text' ? random.pick(names) : number();
  }

  function where(table: Table): Condition {
    if (!grant(table) || random.chance(0.25)) return EVERYTHING;
    return randomCondition(random, {
      project,
      table,
      depth: 1,
      columns: (of) => (grant(of)?.columns ?? []).map((name) => columnNamed(of, name)),
      computedFields: () => [],
      visible: (of) => grant(of) !== undefined,
    });
  }

  function changes(table: Table): Change[] {
    const { serial, references } = RULES[baseOf(table.name)]!;
    const fixed = [serial, ...references.flatMap(({ columns }) => columns)];
    const columns = updatable(table).filter(({ type }) => random.chance(type === 'jsonb' ? 0.85 : 0.35));
    const chosen = columns.map((column): Change => {
      const { name, type } = column;
      if (type === 'int4' && !fixed.includes(name) && random.chance(0.4))
        return { operator: '_inc', column: name, value: random.between(-3, 3) };
      if (type === 'jsonb' && random.chance(0.9)) return jsonChange(name);
      return { operator: '_set', column: name, value: cell(table, column) };
    });
    const counted = chosen.find(({ operator }) => operator === '_inc');
    // Once in a while one column in two operators, which must be refused.
    return counted && random.chance(0.03)
      ? [...chosen, { operator: '_set', column: counted.column, value: 1 }]
      : chosen;
  }

  function jsonChange(column: string): Change {
    switch (random.below(7)) {
      case 0:
      case 1:
        return { operator: '_append', column, value: json() };
      case 2:
      case 3:
        return { operator: '_prepend', column, value: json() };
      case 4:
        return { operator: '_delete_key', column, value: random.pick(['a', 'b', 'z']) };
      case 5:
        return { operator: '_delete_elem', column, value: random.between(-2, 2) };
      default:
        return {
          operator: '_delete_at_path',
          column,
          value: random.pick<Value>([['a'], ['c', 'a'], ['0'], ['-1'], []]),
        };
    }
  }

  /** No null at the top, which would be SQL's. */
  function json(): Value {
    return TYPES.jsonb.random(random) ?? json();
  }
}
