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
import { TYPES, type TypeName, type Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { withSomethingForbidden } from './forbidden.ts';
import { FUNCTIONS } from './functions.ts';
import { EVERYTHING, functionsOf, type Permissions, rulesOf } from './permissions.ts';
import type { Change, Conflict, InsertObject, Key, Mutation, MutationField, Nested } from './request.ts';
import { baseOf, isParent, isRequired, type Reference, RULES } from './tables.ts';
import { HEIR, projectOf, ROLES } from './world.ts';

/** Rows to begin with, which keep all constraints. */
export function randomRows(random: Random): Record<string, Row[]> {
  // What a check finds in other rows changes most where there are none at first.
  if (random.chance(0.3)) return { team: [], player: [], badge: [], profile: [], award: [] };
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
  const profile = random.some(player, 0.4).map((row, index): Row => {
    const sponsor = team.length > 0 && random.chance(0.4) ? random.pick(team).name! : null;
    return { id: index + 1, player_id: row.id!, bio: value('text'), sponsor };
  });
  const award = random.list(random.between(0, 2), (index): Row => {
    const { player_id, kind } =
      badge.length > 0 && random.chance(0.7) ? random.pick(badge) : { player_id: null, kind: 'a' };
    return { id: index + 1, player_id: player_id!, kind: kind!, note: value('text') };
  });
  return { team, player, badge, profile, award };
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
  /** A few names that rows get, and other rows refer to. */
  const names = random.list(3, () => `n${random.below(10_000)}`);
  return field;

  function field(response: string): MutationField | undefined {
    const callable = random.chance(0.05) ? Object.keys(FUNCTIONS) : functionsOf(permissions, who.role);
    if (callable.length > 0 && random.chance(0.12)) return call(response, random.pick(callable));
    // Objects with others in them, which there is a quick way to insert.
    const roots = project.tables.filter(
      ({ name, kind }) => kind === 'table' && rulesOf(permissions, who, name).insert,
    );
    const asTree = !flat && roots.length > 0 && random.chance(0.25);
    const table = random.pick(asTree ? roots : [...project.tables, tableNamed(project, 'player')]);
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
    const kind = asTree ? 'insert' : random.pick(kinds);
    plain = asTree || random.chance(0.2) ? plainShape(table, asTree && random.chance(0.7)) : undefined;
    const ofRow = kind === 'insert one' || kind.endsWith('by key');
    const wanted = grant(table) !== undefined && (ofRow || random.chance(0.75));
    const head = { response, table: table.name, returning: wanted ? selection(table, 1) : undefined };
    switch (kind) {
      case 'insert':
      case 'insert one': {
        const counts = plain ? [1, 2, 2, 3, 4] : [0, 1, 1, 2, 2, 3];
        const count = kind === 'insert one' ? 1 : random.pick(counts);
        return { ...head, kind, ...rowsAndConflict(table, count, plain ? 3 : 2, [], 1) };
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

  function call(response: string, name: string): MutationField {
    const table = tableNamed(project, 'player');
    const { arguments: declared, set } = FUNCTIONS[name]!;
    const given = declared.filter((each) => !Object.hasOwn(each, 'default') || random.chance(0.7));
    return {
      kind: 'call',
      response,
      table: table.name,
      function: name,
      arguments: Object.fromEntries(given.map((each) => [each.name, argument(each.name, each.type)])),
      where: set && random.chance(0.4) ? where(table) : EVERYTHING,
      limit: set && random.chance(0.2) ? random.between(0, 2) : undefined,
      returning: grant(table) ? selection(table, 1) : [{ kind: 'typename', response: '__typename' }],
    };
  }

  function argument(name: string, type: TypeName): Value {
    if (random.chance(0.1)) return null;
    if (name === 'team' || name === 'player') {
      const { rows } = tableNamed(project, name);
      return rows.length > 0 && random.chance(0.9) ? random.pick(rows).id! : random.between(1, 12);
    }
    return type === 'text' ? random.pick([...names, 'a', 'b']) : random.between(-2, 2);
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
      ...nested.flatMap(({ relationship: name }) => {
        const relationship = table.relationships.find((each) => each.name === name)!;
        return isParent(relationship) ? relationship.columns.map(([own]) => own) : [];
      }),
    ]);
    const columns: Record<string, Value> = {};
    for (const column of insertableColumns(table)) {
      // Once in a while a column that is determined already, which must be refused.
      if (taken.has(column.name) && !random.chance(0.02)) continue;
      if (!random.chance(given(table, column))) continue;
      if (plain && mayMeet(plain, table, column) && !random.chance(column.type === 'text' ? 0.6 : 0.1))
        continue;
      if (column.name === 'id' && !flat && tableNamed(project, baseOf(table.name)).rows.length === 0)
        continue;
      columns[column.name] = cell(table, column);
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

  /** A tree of relationships. `once`: it comes by no view, and by no table twice. */
  function plainShape(root: Table, once: boolean): ReadonlyMap<string, readonly Relationship[]> {
    const shape = new Map<string, Relationship[]>([[root.name, []]]);
    const visit = (table: Table) => {
      for (const relationship of random.shuffle(table.relationships)) {
        const known = shape.get(relationship.target);
        if (once && (known || tableNamed(project, relationship.target).kind === 'view')) continue;
        if (!random.chance(known ? 0.3 : 0.6)) continue;
        shape.get(table.name)!.push(relationship);
        if (known) continue;
        shape.set(relationship.target, []);
        visit(tableNamed(project, relationship.target));
      }
    };
    visit(root);
    return shape;
  }

  /** Whether the column has to do with other rows of the shape, by a number or a reference. */
  function mayMeet(
    shape: ReadonlyMap<string, readonly Relationship[]>,
    table: Table,
    { name, nullable }: Column,
  ): boolean {
    const { serial, references } = RULES[baseOf(table.name)]!;
    if (name === serial) return true;
    const known = (target: string) => [...shape.keys()].some((each) => baseOf(each) === target);
    return nullable && references.some(({ columns, target }) => columns.includes(name) && known(target));
  }

  /** How often a column is given: nearly always where it has to be, seldom where a sequence fills it. */
  function given(table: Table, { name }: Column): number {
    if (name === RULES[baseOf(table.name)]!.serial) return 0.12;
    return isRequired(table.name, name) ? 0.97 : 0.5;
  }

  function cell(table: Table, { name, type, nullable }: Column): Value {
    if (nullable && random.chance(0.2)) return null;
    const rules = RULES[baseOf(table.name)]!;
    const reference = rules.references.find(({ columns }) => columns.includes(name));
    if (reference) return referred(reference, name, type);
    if (name === rules.serial) {
      const ids = tableNamed(project, baseOf(table.name)).rows.map(({ id }) => id!);
      return ids.length > 0 && random.chance(flat ? 0.4 : 1) ? random.pick(ids) : random.between(1, 12);
    }
    // Fewer rows break the CHECKs than keep them.
    if (rules.least?.[0] === name) return random.between(random.chance(0.1) ? -3 : rules.least[1], 8);
    if ((name === 'name' || name === 'team') && random.chance(0.3)) return random.pick(names);
    // Fresh texts for what has to be unique, or nearly nothing would be written.
    if (['nick', 'name', 'team'].includes(name) && random.chance(0.8)) return `n${random.below(10_000)}`;
    const value = TYPES[type].random(random);
    return value === null && !nullable ? cell(table, { name, type, nullable }) : value;
  }

  /** A value of a row that is there, or may come to be there. */
  function referred({ columns, target, targetColumns }: Reference, name: string, type: TypeName): Value {
    const { rows } = tableNamed(project, target);
    const there = rows.map((row) => row[targetColumns[columns.indexOf(name)]!]!);
    if (type === 'text') return random.pick(there.length > 0 && random.chance(0.3) ? there : names);
    return there.length > 0 && random.chance(0.95) ? random.pick(there) : random.between(1, 12);
  }

  function nestedOf(table: Table, depth: number, without: readonly string[]): Nested[] {
    if (flat) return [];
    const relationships = plain?.get(table.name) ?? table.relationships;
    return relationships.flatMap((relationship): Nested[] => {
      const target = tableNamed(project, relationship.target);
      const parent = isParent(relationship);
      const own = relationship.columns.map(([column]) => column);
      const wanted = plain ? (parent ? 1 : 0.8) : 0.22;
      if (!rulesOf(permissions, who, target.name).insert || !random.chance(wanted)) return [];
      if (parent && own.some((name) => without.includes(name)) && !random.chance(0.03)) return [];
      const count = relationship.kind === 'object' ? 1 : random.pick([0, 1, 2, 2, 3]);
      return [
        {
          relationship: relationship.name,
          kind: relationship.kind,
          target: target.name,
          ...rowsAndConflict(
            target,
            count,
            depth - 1,
            parent ? [] : relationship.columns.map(([, other]) => other),
            0.4,
          ),
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
    const fixed = [serial, ...references.flatMap(({ columns }) => columns)];
    const columns = updatableColumns(table).filter(({ type }) =>
      random.chance(type === 'jsonb' ? 0.7 : 0.35),
    );
    const chosen = columns.map((column): Change => {
      const { name, type } = column;
      if (type === 'int4' && !fixed.includes(name) && random.chance(0.4))
        return { operator: '_inc', column: name, value: random.between(-3, 3) };
      if (type === 'jsonb' && random.chance(0.8)) return jsonChange(name);
      return { operator: '_set', column: name, value: cell(table, column) };
    });
    const number = chosen.find(({ operator }) => operator === '_inc');
    // Once in a while one column in two operators, which must be refused.
    return number && random.chance(0.03)
      ? [...chosen, { operator: '_set', column: number.column, value: 1 }]
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
