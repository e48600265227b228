/** Random projects: schemas with rows, relationships, computed fields, permissions of three roles and what inherits them. */
import type { Random } from '../random.ts';
import { grantOf, type SessionValues } from './lens.ts';
import type {
  Column,
  ComputedField,
  ForeignKey,
  InheritedRole,
  Permission,
  Project,
  Relationship,
  Row,
  Table,
} from './project.ts';
import { columnNamed, hasSameCells, rowsOf, tableNamed } from './project.ts';
import { randomCondition } from './random-condition.ts';
import { withRelatedRules } from './related-rules.ts';
import { arrayText, postgresText, TYPE_NAMES, TYPES, type TypeName, type Value } from './types.ts';
import {
  keptApart,
  keyAndLink,
  pickType,
  randomBroken,
  randomCell,
  unprovenRelationships,
  withUnprovenFacts,
} from './unproven.ts';

/** Words that SQL reserves are among them, and names that differ in case only. */
const COLUMN_NAMES = [
  'name',
  'Name',
  'order',
  'select',
  'value',
  'user',
  'group',
  'kind',
  'x',
  'y',
  'row',
  'limit',
];

export const BASE_ROLES = ['one', 'two', 'three'];
export const INHERITED_ROLES: readonly InheritedRole[] = [
  { name: 'both', parents: ['one', 'two'] },
  { name: 'all', parents: ['three', 'both'] },
];

export function randomProject(random: Random): Project {
  const tables: Table[] = [];
  for (let index = random.between(2, 4); index > 0; index -= 1) tables.push(randomTable(random, tables));
  const project = { tables: withUnprovenFacts(random, tables), inheritedRoles: INHERITED_ROLES };
  const related = withRelationships(random, project);
  const computed = withComputedFields(random, related);
  return withPermissions(random, computed);
}

function randomTable(random: Random, others: readonly Table[]): Table {
  const name = `t${others.length + 1}`;
  const keyed = random.pick([
    'int4',
    'int4',
    'int4',
    'uuid',
    'text',
    'near',
    'padded',
    'int8',
    'composite',
    'composite',
    'none',
  ] as const);
  const key: Column[] =
    keyed === 'composite'
      ? [column('id', 'int4'), column('part', random.pick<TypeName>(['text', 'int2', 'mood']))]
      : keyed === 'none'
        ? []
        : [column('id', keyed)];
  const names = random.shuffle(COLUMN_NAMES);
  const plain = random.list(random.between(2, 5), (index): Column => {
    const type = pickType(random);
    return { name: names[index]!, type, nullable: type !== 'needed' && random.chance(0.6) };
  });
  const further = keyAndLink(random, others);
  // A column that every table has, for computed fields and relationships by hand.
  const common: Column = { name: 'n', type: 'int4', nullable: random.chance(0.6) };
  const foreignKeys: ForeignKey[] = [];
  const foreignColumns: Column[] = [];
  const self: Pick<Table, 'name' | 'columns' | 'primaryKey'> = {
    name,
    columns: key,
    primaryKey: key.map((each) => each.name),
  };
  const targets = [...others, self].filter((table) => table.primaryKey.length > 0);
  for (let index = random.between(0, 2); index > 0 && targets.length > 0; index -= 1) {
    const target = random.pick(targets);
    const nullable = target === self || random.chance(0.5);
    const columns = target.primaryKey.map(
      (part): Column => ({
        name: `f${index}_${part}`,
        type: target.columns.find((each) => each.name === part)!.type,
        nullable,
      }),
    );
    foreignColumns.push(...columns);
    foreignKeys.push({
      columns: columns.map((each) => each.name),
      target: target.name,
      unique: random.chance(0.3),
      ...randomBroken(random),
    });
  }
  const table: Table = {
    schema: random.chance(0.2) ? 'other' : 'public',
    name,
    kind: 'table',
    columns: [...key, common, ...further.columns, ...plain, ...foreignColumns],
    primaryKey: key.map((each) => each.name),
    keys: further.keys,
    foreignKeys,
    relationships: [],
    computedFields: [],
    permissions: [],
    rows: [],
  };
  return { ...table, rows: randomRows(random, table, others) };
}

function column(name: string, type: TypeName): Column {
  return { name, type, nullable: false };
}

function randomRows(random: Random, table: Table, others: readonly Table[]): Row[] {
  const rows: Row[] = [];
  for (let index = random.between(0, 8); index > 0; index -= 1) {
    const row: Record<string, Value> = {};
    for (const { name, type, nullable } of table.columns) row[name] = randomCell(random, type, nullable);
    if (keptApart(table).some((names) => hasRow(table, rows, names, row))) continue;
    if (table.foreignKeys.every((key) => refer(random, table, others, rows, row, key))) rows.push(row);
  }
  return rows;
}

function hasRow(table: Table, rows: readonly Row[], names: readonly string[], row: Row): boolean {
  return rows.some((other) => hasSameCells(table, names, row, other));
}

/** Points a row's foreign key at a row that is there, or nowhere; false if it cannot. */
function refer(
  random: Random,
  table: Table,
  others: readonly Table[],
  before: readonly Row[],
  row: Record<string, Value>,
  { columns, target, unique, broken }: ForeignKey,
): boolean {
  const self = target === table.name;
  const other = self ? table : others.find(({ name }) => name === target)!;
  const rows = self ? before : other.rows;
  const nullable = columnNamed(table, columns[0]!).nullable;
  if (broken && random.chance(0.5)) {
    for (const name of columns) row[name] = randomCell(random, columnNamed(table, name).type, nullable);
    if (!unique || !hasRow(table, before, columns, row)) return true;
  }
  for (let attempt = 0; attempt < 4; attempt += 1) {
    if (rows.length === 0 || (nullable && random.chance(0.25))) break;
    const referred = random.pick(rows);
    columns.forEach((name, index) => {
      row[name] = referred[other.primaryKey[index]!]!;
    });
    // A reference by several columns of which one is null refers to nothing.
    if (nullable && columns.length > 1 && random.chance(0.2)) row[random.pick(columns)] = null;
    if (!unique || !hasRow(table, before, columns, row)) return true;
  }
  for (const name of columns) row[name] = null;
  return nullable;
}

function withRelationships(random: Random, project: Project): Project {
  const found = new Map<string, Relationship[]>(project.tables.map(({ name }) => [name, []]));
  const add = (table: string, relationship: Omit<Relationship, 'name'>) => {
    const list = found.get(table)!;
    list.push({ ...relationship, name: `${relationship.kind === 'object' ? 'o' : 'a'}${list.length + 1}` });
  };
  for (const table of project.tables) {
    for (const { columns, target, unique } of table.foreignKeys) {
      const pairs = columns.map(
        (name, index) => [name, tableNamed(project, target).primaryKey[index]!] as const,
      );
      // The metadata names a key by its columns: two keys over the same columns of one table do not occur.
      if (random.chance(0.85))
        add(table.name, { kind: 'object', target, columns: pairs, declared: 'own key' });
      const back = pairs.map(([own, other]) => [other, own] as const);
      if (random.chance(0.85))
        add(target, {
          kind: unique ? 'object' : 'array',
          target: table.name,
          columns: back,
          declared: 'other key',
        });
    }
    for (let index = random.between(0, 2); index > 0; index -= 1) {
      const target = random.pick(project.tables);
      add(table.name, { kind: 'array', target: target.name, columns: [['n', 'n']], declared: 'manual' });
    }
    const keyed = project.tables.find(
      ({ primaryKey, columns }) => primaryKey.length === 1 && columns[0]!.type === 'int4',
    );
    if (keyed && random.chance(0.3))
      add(table.name, { kind: 'object', target: keyed.name, columns: [['n', 'id']], declared: 'manual' });
  }
  for (const [table, relationship] of unprovenRelationships(random, project)) add(table, relationship);
  return {
    ...project,
    tables: project.tables.map((table) => ({ ...table, relationships: found.get(table.name)! })),
  };
}

function withComputedFields(random: Random, project: Project): Project {
  const tables = project.tables.map((table) => {
    const fields: ComputedField[] = [];
    const text = table.columns.find(({ type }) => type === 'text');
    if (random.chance(0.4)) fields.push({ kind: 'double', name: 'doubled', column: 'n' });
    if (text && random.chance(0.5)) fields.push({ kind: 'upper', name: 'loud', column: text.name });
    if (random.chance(0.3)) fields.push({ kind: 'plus', name: 'plus', column: 'n' });
    if (random.chance(0.2)) fields.push({ kind: 'session', name: 'session_plus', column: 'n' });
    if (random.chance(0.5))
      fields.push({
        kind: 'rows',
        name: 'alike',
        column: 'n',
        target: random.pick(project.tables).name,
        targetColumn: 'n',
      });
    return { ...table, computedFields: fields };
  });
  return { ...project, tables };
}

function withPermissions(random: Random, project: Project): Project {
  const tables = project.tables.map((table): Table => {
    const roles = random.some(BASE_ROLES, 0.85);
    // A permission of its own wins over what a role inherits.
    if (random.chance(0.1)) roles.push('both');
    return { ...table, permissions: roles.map((role) => randomPermission(random, project, table, role)) };
  });
  const result = { ...project, tables };
  // Roles exist by being mentioned; an inherited role with an unknown parent would be refused.
  const mentioned = BASE_ROLES.every((role) =>
    tables.some(({ permissions }) => permissions.some((permission) => permission.role === role)),
  );
  if (!mentioned) return withPermissions(random, project);
  return withRelatedRules(random, result, BASE_ROLES, (table, name) =>
    sessionName(columnNamed(table, name).type, false),
  );
}

function randomPermission(random: Random, project: Project, table: Table, role: string): Permission {
  const columns = random.chance(0.3) ? table.columns : random.some(table.columns, 0.75);
  // Mostly with the key, without which there is little to ask for.
  const names = table.columns
    .map(({ name }) => name)
    .filter(
      (name) =>
        columns.some((each) => each.name === name) || (table.primaryKey.includes(name) && random.chance(0.8)),
    );
  const scalars = table.computedFields.filter(({ kind }) => kind !== 'rows').map(({ name }) => name);
  const session = (type: TypeName, list: boolean) => {
    const name = sessionName(type, list);
    return random.chance(0.2) ? name.replace('engine', 'Engine') : name;
  };
  return {
    role,
    columns: names.length > 0 ? names : ['n'],
    computedFields: random.some(scalars, 0.6),
    filter: random.chance(0.15)
      ? { kind: 'object', parts: [] }
      : randomCondition(random, {
          project,
          table,
          depth: 2,
          columns: (of) => of.columns,
          computedFields: (of) => of.computedFields,
          visible: () => true,
          permission: { root: table, session },
        }),
    ...(random.chance(0.25) && { limit: random.between(1, 4) }),
    aggregations: random.chance(0.7),
  };
}

function sessionName(type: TypeName, list: boolean): string {
  return `x-engine-${type.replace('[]', '-array')}${list ? '-list' : ''}`;
}

/** Values of all session variables that permissions may name. */
export function randomSession(random: Random): SessionValues {
  const entries: [string, { value: Value; text: string }][] = [];
  for (const name of TYPE_NAMES) {
    const type = TYPES[name];
    const value = randomCell(random, name, false);
    entries.push([sessionName(name, false), { value, text: postgresText(type, value) }]);
    if (type.element) continue;
    const list = random.list(random.between(0, 3), () => randomCell(random, name, false));
    entries.push([
      sessionName(name, true),
      { value: list, text: arrayText(list.map((item) => postgresText(type, item))) },
    ]);
  }
  return Object.fromEntries(entries);
}

/** Keys of a table's rows as a role sees them, for by-key fields; undefined when it has no such field. */
export function keysOf(project: Project, table: Table, role: string): Record<string, Value>[] | undefined {
  const grant = grantOf(project, table, role);
  if (!grant || table.primaryKey.length === 0) return undefined;
  if (!table.primaryKey.every((name) => grant.columns.includes(name))) return undefined;
  return rowsOf(project, table).map((row) =>
    Object.fromEntries(table.primaryKey.map((name) => [name, row[name]!])),
  );
}
