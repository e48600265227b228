/** Random mutations that a role may send: valid in form, mostly possible, often refused by a rule or a constraint. */
import { columnNamed, type Row, type Table, tableNamed } from '../queries/project.ts';
import { randomSession } from '../queries/random-project.ts';
import type { Field, Selection } from '../queries/request.ts';
import type { TypeName, Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { withSomethingForbidden } from './forbidden.ts';
import { FUNCTIONS } from './functions.ts';
import { EVERYTHING, functionsOf, type Permissions, rulesOf } from './permissions.ts';
import { type Again, createObjects, randomShape } from './random-objects.ts';
import { createRelated } from './random-related.ts';
import { createValues, type Writer } from './random-values.ts';
import type { Key, Mutation, MutationField } from './request.ts';
import { HEIR, projectOf, ROLES } from './world.ts';

/** Tables whose relationships soon lead to a table again. */
const LEAD_AGAIN = ['team', 'player', 'signup'];

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
  const names = random.list(3, () => `n${random.below(10_000)}`);
  const field = createWriter({ random, project, permissions, who: { role, backend }, flat, names });
  const fields = random.list(count, (index) => field(`m${index}`));
  const made = fields.filter((each) => each !== undefined);
  if (made.length === 0) return undefined;
  const mutation = { role, backend, session: randomSession(random), fields: made };
  return random.chance(0.04) ? (withSomethingForbidden(random, permissions, mutation) ?? mutation) : mutation;
}

function createWriter(writer: Writer): (response: string) => MutationField | undefined {
  const { random, project, permissions, who, flat, names } = writer;
  const values = createValues(writer);
  const { grant, updatable, cell, where } = values;
  const { entry, changesWithRelated } = createRelated(writer, values);
  return field;

  function field(response: string): MutationField | undefined {
    const callable = random.chance(0.05) ? Object.keys(FUNCTIONS) : functionsOf(permissions, who.role);
    if (callable.length > 0 && random.chance(0.12)) return call(response, random.pick(callable));
    // Objects with others in them, which there is a quick way to insert.
    const again = random.pick<Again>(['never', 'never', 'never', 'by a view', 'anyhow']);
    const roots = project.tables.filter(
      ({ name }) =>
        rulesOf(permissions, who, name).insert && (again === 'never' || LEAD_AGAIN.includes(name)),
    );
    const asTree = !flat && roots.length > 0 && random.chance(0.35);
    const player = tableNamed(project, 'player');
    const table = random.pick(asTree ? roots : [...project.tables, player, player]);
    const rules = rulesOf(permissions, who, table.name);
    const isUpdatable = updatable(table).length > 0;
    const keyed =
      table.primaryKey.length > 0 && table.primaryKey.every((name) => grant(table)?.columns.includes(name));
    const kinds: MutationField['kind'][] = [
      ...(rules.insert ? (['insert', 'insert', 'insert'] as const) : []),
      ...(rules.insert && grant(table) ? (['insert one'] as const) : []),
      ...(isUpdatable ? (['update', 'update', 'update many'] as const) : []),
      ...(isUpdatable && keyed ? (['update by key'] as const) : []),
      ...(rules.delete ? (['delete'] as const) : []),
      ...(rules.delete && keyed ? (['delete by key'] as const) : []),
    ];
    if (kinds.length === 0) return undefined;
    const updates = kinds.filter((each) => each.startsWith('update'));
    const kind = asTree ? 'insert' : random.pick(updates.length > 0 && random.chance(0.3) ? updates : kinds);
    const ofRow = kind === 'insert one' || kind.endsWith('by key');
    const wanted = grant(table) !== undefined && (ofRow || random.chance(0.75));
    const head = { response, table: table.name, returning: wanted ? selection(table, 1) : undefined };
    switch (kind) {
      case 'insert':
      case 'insert one': {
        const inShape = asTree || random.chance(0.2);
        const shape = inShape ? randomShape(writer, table, asTree ? again : 'anyhow') : undefined;
        const counts = inShape ? [1, 2, 2, 3] : [0, 1, 1, 2, 2, 3];
        const count = kind === 'insert one' ? 1 : random.pick(counts);
        return { ...head, kind, ...createObjects(writer, values, shape).objects(table, count) };
      }
      case 'update':
        return { ...head, kind, ...entry(table) };
      case 'update by key':
        return { ...head, kind, key: key(table), ...changesWithRelated(table) };
      case 'update many':
        return {
          ...head,
          kind,
          entries: random.list(random.between(0, 3), () => entry(table)),
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
