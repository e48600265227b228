/** Random mutations that a role may send: valid in form, mostly possible, often refused by a rule or a constraint. */
import type { Condition } from '../queries/condition.ts';
import { grantOf } from '../queries/lens.ts';
import {
  type Column,
  columnNamed,
  type Project,
  type Relationship,
  type Row,
  type Table,
  tableNamed,
} from '../queries/project.ts';
import { randomCondition } from '../queries/random-condition.ts';
import { randomSession } from '../queries/random-project.ts';
import type { Field, Selection } from '../queries/request.ts';
import { TYPES, type Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { withSomethingForbidden } from './forbidden.ts';
import { EVERYTHING, type Permissions, rulesOf } from './permissions.ts';
import type { Change, Conflict, InsertObject, Key, Mutation, MutationField, Nested } from './request.ts';
import { baseOf, HEIR, projectOf, ROLES, RULES } from './world.ts';

/** Rows to begin with, which keep all constraints. */
export function randomRows(random: Random): Record<string, Row[]> {
  const value = (type: 'int4' | 'text' | 'bool' | 'jsonb', empty = 0.25): Value =>
    random.chance(empty) ? null : TYPES[type].random(random);
  const names = random.shuffle(['a', 'b', 'ab', "o'k", '{row}', 'A']);
  const team = random.list(random.between(0, 4), (index): Row => {
    const score = random.between(0, 8);
    return { id: index + 1, name: index === 3 ? null : names[index]!, score, flag: value('bool') };
  });
  const nicks = random.shuffle(['a', 'b', 'ab', 'aB', 'x%y', '{{', 'null']);
  const player: Row[] = [];
  for (let index = random.between(0, 5); index > 0; index -= 1) {
    const n = value('int4') as number | null;
    player.push({
      id: player.length + 1,
      team_id: team.length === 0 || random.chance(0.3) ? null : random.pick(team).id!,
      nick: nicks[player.length]!,
      n,
      info: value('jsonb'),
      mentor_id: player.length === 0 || random.chance(0.6) ? null : random.pick(player).id!,
      doubled: n === null ? null : n * 2,
    });
  }
  const badge = player.flatMap(({ id }) =>
    random
      .some(['a', 'b', 'A'], 0.3)
      .map((kind): Row => ({ player_id: id!, kind, points: random.between(-1, 5) })),
  );
  const profile = random
    .some(player, 0.4)
    .map((row, index): Row => ({ id: index + 1, player_id: row.id!, bio: value('text') }));
  return { team, player, badge, profile };
}

export function randomMutation(
  random: Random,
  rows: Readonly<Record<string, readonly Row[]>>,
  permissions: Permissions,
): Mutation | undefined {
  const project = projectOf(rows, permissions);
  const role = random.pick([...ROLES, ...ROLES, ...(permissions.hasHeir ? [HEIR, HEIR] : []), 'admin']);
  const backend = random.chance(0.3);
  const count = random.pick([1, 1, 1, 1, 2, 3]);
  const flat = count === 1 && random.chance(0.3);
  const writer = createWriter(random, project, permissions, { role, backend }, flat);
  const fields = random.list(count, (index) => writer(`m${index}`));
  const made = fields.filter((field) => field !== undefined);
  if (made.length === 0) return undefined;
  const mutation = { role, backend, session: randomSession(random), fields: made };
  return random.chance(0.04) ? (withSomethingForbidden(random, permissions, mutation) ?? mutation) : mutation;
}

function createWriter(
  random: Random,
  project: Project,
  permissions: Permissions,
  who: Pick<Mutation, 'role' | 'backend'>,
  /**
   * Nothing is nested, so rows may have numbers that a sequence will come to: inserts that are tried in batches first use up
   * more numbers than in the model, and would meet them elsewhere.
   */
  flat: boolean,
): (response: string) => MutationField | undefined {
  const grant = (table: Table) => grantOf(project, table, who.role);
  const columnsOf = (table: Table) => (grant(table)?.columns ?? []).map((name) => columnNamed(table, name));
  /**
   * Of an insert whose rows have nothing to do with each other but by nesting, which may be inserted in batches: the
   * relationships by table. undefined: anything goes.
   */
  let plain: ReadonlyMap<string, readonly Relationship[]> | undefined;
  return field;

  function field(response: string): MutationField | undefined {
    const table = random.pick(project.tables);
    const rules = rulesOf(permissions, who, table.name);
    const updatable = updatableColumns(table);
    const keyed =
      table.primaryKey.length > 0 && table.primaryKey.every((name) => grant(table)?.columns.includes(name));
    const kinds: MutationField['kind'][] = [
      ...(rules.insert ? (['insert', 'insert', 'insert'] as const) : []),
      ...(rules.insert && grant(table) ? (['insert one'] as const) : []),
      ...(updatable.length > 0 ? (['update', 'update', 'update many'] as const) : []),
      ...(updatable.length > 0 && keyed ? (['update by key'] as const) : []),
      ...(rules.delete ? (['delete'] as const) : []),
      ...(rules.delete && keyed ? (['delete by key'] as const) : []),
    ];
    if (kinds.length === 0) return undefined;
    const kind = random.pick(kinds);
    plain = random.chance(0.4) ? plainShape(table) : undefined;
    const ofRow = kind === 'insert one' || kind.endsWith('by key');
    const wanted = grant(table) !== undefined && (ofRow || random.chance(0.75));
    const head = { response, table: table.name, returning: wanted ? selection(table, 1) : undefined };
    switch (kind) {
      case 'insert':
      case 'insert one': {
        const count = kind === 'insert one' ? 1 : random.pick([0, 1, 1, 2, 2, 3]);
        return { ...head, kind, ...rowsAndConflict(table, count, 2, [], 1) };
      }
      case 'update':
        return { ...head, kind, where: where(table), changes: changes(table) };
      case 'update by key':
        return { ...head, kind, key: key(table), changes: changes(table) };
      case 'update many':
        return {
          ...head,
          kind,
          entries: random.list(random.between(0, 3), () => ({
            where: where(table),
            changes: changes(table),
          })),
        };
      case 'delete':
        return { ...head, kind, where: where(table) };
      case 'delete by key':
        return { ...head, kind, key: key(table) };
    }
  }

  function insertableColumns(table: Table): Column[] {
    const rule = rulesOf(permissions, who, table.name).insert;
    return (rule?.columns ?? [])
      .filter((name) => !Object.hasOwn(rule!.set, name))
      .map((name) => columnNamed(table, name));
  }

  function updatableColumns(table: Table): Column[] {
    const rule = rulesOf(permissions, who, table.name).update;
    return (rule?.columns ?? [])
      .filter((name) => !Object.hasOwn(rule!.set, name))
      .map((name) => columnNamed(table, name));
  }

  /** `conflicts`: how probable a conflict clause is; with one, rows often have keys that are there already. */
  function rowsAndConflict(
    table: Table,
    count: number,
    depth: number,
    without: readonly string[],
    conflicts: number,
  ): { readonly objects: readonly InsertObject[]; readonly conflict: Conflict | undefined } {
    const clause = random.chance(conflicts) ? conflict(table) : undefined;
    const key = clause ? RULES[table.name]!.keys[clause.constraint]! : [];
    const { rows } = tableNamed(project, table.name);
    const insertable = insertableColumns(table).map(({ name }) => name);
    const objects = random.list(count, () => {
      const made = object(table, depth, without);
      if (!clause || rows.length === 0 || !random.chance(0.5)) return made;
      const there = random.pick(rows);
      const taken = key.filter((name) => insertable.includes(name) && !without.includes(name));
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
      ...nested.flatMap(({ relationship }) => {
        const [own, other] = table.relationships.find(({ name }) => name === relationship)!.columns[0]!;
        return other === 'id' && own !== 'id' ? [own] : [];
      }),
    ]);
    const columns: Record<string, Value> = {};
    for (const column of insertableColumns(table)) {
      // Once in a while a column that is determined already, which must be refused.
      if (taken.has(column.name) && !random.chance(0.02)) continue;
      if (!random.chance(given(table, column))) continue;
      if (plain && refers(table, column) && (column.nullable || column.name === 'id')) continue;
      if (column.name === 'id' && !flat && tableNamed(project, baseOf(table.name)).rows.length === 0)
        continue;
      columns[column.name] = cell(table, column);
    }
    return { columns, nested };
  }

  /** A tree of relationships that comes by no table twice. */
  function plainShape(root: Table): ReadonlyMap<string, readonly Relationship[]> {
    const shape = new Map<string, Relationship[]>([[root.name, []]]);
    const visit = (table: Table) => {
      for (const relationship of random.shuffle(table.relationships)) {
        if (shape.has(relationship.target) || !random.chance(0.6)) continue;
        shape.get(table.name)!.push(relationship);
        shape.set(relationship.target, []);
        visit(tableNamed(project, relationship.target));
      }
    };
    visit(root);
    return shape;
  }

  function refers(table: Table, { name }: Column): boolean {
    const { serial, references } = RULES[baseOf(table.name)]!;
    return name === serial || references.some(({ column }) => column === name);
  }

  /** How often a column is given: nearly always where it has to be, seldom where a sequence fills it. */
  function given(table: Table, { name, nullable }: Column): number {
    const { serial, defaults } = RULES[baseOf(table.name)]!;
    if (name === serial) return 0.12;
    return nullable || Object.hasOwn(defaults, name) ? 0.5 : 0.97;
  }

  function cell(table: Table, { name, type, nullable }: Column): Value {
    if (nullable && random.chance(0.2)) return null;
    const rules = RULES[baseOf(table.name)]!;
    const reference = rules.references.find(({ column }) => column === name);
    const target = name === rules.serial ? baseOf(table.name) : reference?.target;
    if (target !== undefined) {
      const ids = tableNamed(project, target).rows.map(({ id }) => id!);
      const known = reference ? 0.95 : flat ? 0.4 : 1;
      return ids.length > 0 && random.chance(known) ? random.pick(ids) : random.between(1, 12);
    }
    // Fewer rows break the CHECKs than keep them.
    if (rules.least?.[0] === name) return random.between(random.chance(0.1) ? -3 : rules.least[1], 8);
    // Fresh texts for what has to be unique, or nearly nothing would be written.
    if ((name === 'nick' || name === 'name') && random.chance(0.8)) return `n${random.below(10_000)}`;
    const value = TYPES[type].random(random);
    return value === null && !nullable ? cell(table, { name, type, nullable }) : value;
  }

  function nestedOf(table: Table, depth: number, without: readonly string[]): Nested[] {
    if (flat) return [];
    const relationships = plain?.get(table.name) ?? table.relationships;
    return relationships.flatMap((relationship): Nested[] => {
      const target = tableNamed(project, relationship.target);
      const [own, other] = relationship.columns[0]!;
      const parent = own !== 'id';
      const wanted = plain ? (parent ? 1 : 0.8) : 0.22;
      if (!rulesOf(permissions, who, target.name).insert || !random.chance(wanted)) return [];
      if (parent && without.includes(own) && !random.chance(0.03)) return [];
      const count = relationship.kind === 'object' ? 1 : random.pick([0, 1, 2, 2, 3]);
      return [
        {
          relationship: relationship.name,
          kind: relationship.kind,
          target: target.name,
          ...rowsAndConflict(target, count, depth - 1, parent ? [] : [other], 0.4),
        },
      ];
    });
  }

  function conflict(table: Table): Conflict | undefined {
    const { keys } = RULES[baseOf(table.name)]!;
    if (plain || table.kind === 'view' || random.chance(0.4)) return undefined;
    return {
      constraint: random.pick(Object.keys(keys)),
      columns: random.chance(0.3) ? [] : random.some(updatableColumns(table), 0.4).map(({ name }) => name),
      where: random.chance(0.3) ? where(table) : undefined,
    };
  }

  function where(table: Table): Condition {
    if (!grant(table) || random.chance(0.15)) return EVERYTHING;
    return randomCondition(random, {
      project,
      table,
      depth: 1,
      columns: columnsOf,
      computedFields: () => [],
      visible: (of) => grant(of) !== undefined,
    });
  }

  function changes(table: Table): Change[] {
    const { serial, references } = RULES[baseOf(table.name)]!;
    const fixed = [serial, ...references.map(({ column }) => column)];
    const chosen = random.some(updatableColumns(table), 0.35).map((column): Change => {
      const { name, type } = column;
      if (type === 'int4' && !fixed.includes(name) && random.chance(0.4))
        return { operator: '_inc', column: name, value: random.between(-3, 3) };
      if (type === 'jsonb' && random.chance(0.6)) return jsonChange(name);
      return { operator: '_set', column: name, value: cell(table, column) };
    });
    const number = chosen.find(({ operator }) => operator === '_inc');
    // Once in a while one column in two operators, which must be refused.
    return number && random.chance(0.03)
      ? [...chosen, { operator: '_set', column: number.column, value: 1 }]
      : chosen;
  }

  function jsonChange(column: string): Change {
    switch (random.below(5)) {
      case 0:
        return { operator: '_append', column, value: json() };
      case 1:
        return { operator: '_prepend', column, value: json() };
      case 2:
        return { operator: '_delete_key', column, value: random.pick(['a', 'b', 'z']) };
      case 3:
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

  function key(table: Table): Key {
    const rows = tableNamed(project, table.name).rows;
    const row = rows.length > 0 && random.chance(0.85) ? random.pick(rows) : undefined;
    return Object.fromEntries(
      table.primaryKey.map((name) => [
        name,
        row ? row[name]! : cell(table, { ...columnNamed(table, name), nullable: false }),
      ]),
    );
  }

  function selection(table: Table, depth: number): Selection {
    const fields: Field[] = grant(table)!
      .columns.filter(() => random.chance(0.5))
      .map((name) => ({ kind: 'column', name, response: name }));
    if (depth > 0) {
      for (const { name, kind, target } of table.relationships) {
        const other = tableNamed(project, target);
        if (!grant(other) || !random.chance(0.25)) continue;
        const inner = { name, response: name, selection: selection(other, depth - 1) };
        fields.push(kind === 'object' ? { kind, ...inner } : { kind, ...inner, arguments: {} });
      }
    }
    return fields.length > 0 ? fields : [{ kind: 'typename', response: '__typename' }];
  }
}
