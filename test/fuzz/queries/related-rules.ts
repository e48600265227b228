/**
 * Rules that follow from each other: a customer is mine, an invoice is if its customer is. Independent random rules never
 * do, and what the engine leaves out of statements because it follows has to be tried. Some only look as if they followed.
 */
import type { Random } from '../random.ts';
import type { Condition } from './condition.ts';
import {
  areJoined,
  columnNamed,
  isSingle,
  type Permission,
  type Project,
  type Relationship,
  type Row,
  rowsOf,
  type Table,
  tableNamed,
} from './project.ts';
import { equal, haveOneEquality, TYPES } from './types.ts';

/** Longest rule that is made a part of others, as JSON. */
const MAX_LENGTH = 1200;

/** The project with some rules rewritten in terms of those of related tables. */
export function withRelatedRules(
  random: Random,
  project: Project,
  roles: readonly string[],
  session: (table: Table, column: string) => string,
): Project {
  let result = project;
  for (let count = random.between(0, 10); count > 0; count -= 1) {
    const table = random.pick(result.tables);
    if (table.relationships.length === 0) continue;
    // What is true of some of several rows is easily taken for true of all.
    const several = table.relationships.filter(
      ({ kind, name }) => kind === 'array' || !isSingle(result, table, name),
    );
    const relationship = random.pick(
      several.length > 0 && random.chance(0.5) ? several : table.relationships,
    );
    result = relate(random, result, table, relationship, random.pick(roles), session);
  }
  for (const table of project.tables)
    for (const relationship of table.relationships)
      if (
        relationship.kind === 'object' &&
        !isSingle(project, table, relationship.name) &&
        random.chance(0.6)
      )
        result = tellApart(random, result, table, relationship, random.pick(roles));
  return result;
}

/** A rule that shows one of the rows to which an object relationship leads, and asks the same through the relationship. */
function tellApart(
  random: Random,
  project: Project,
  table: Table,
  { name, target, columns }: Relationship,
  role: string,
): Project {
  const far = tableNamed(project, target);
  const joined = rowsOf(project, table)
    .map((row) =>
      rowsOf(project, far).filter((each) =>
        columns.every(([own, other]) => areJoined(table, own, far, other, row, each)),
      ),
    )
    .filter((rows) => rows.length > 1);
  if (joined.length === 0) return project;
  const [one, other] = random.shuffle(random.pick(joined)) as [Row, Row];
  const telling = far.columns.filter(
    (column) =>
      one[column.name] !== null &&
      (other[column.name] === null || !equal(TYPES[column.type], one[column.name]!, other[column.name]!)),
  );
  if (telling.length === 0) return project;
  const column = random.pick(telling);
  const operand = { kind: 'value', value: one[column.name]! } as const;
  const item: Condition = {
    kind: 'column',
    name: column.name,
    type: column.type,
    comparisons: [{ kind: 'operator', operator: '_eq', operand }],
  };
  const shown = withFilter(project, far, role, item);
  return withFilter(shown, table, role, { kind: 'relationship', name, item });
}

function relate(
  random: Random,
  project: Project,
  table: Table,
  relationship: Relationship,
  role: string,
  session: (table: Table, column: string) => string,
): Project {
  const target = tableNamed(project, relationship.target);
  const [near, far] = [filterOf(table, role), filterOf(target, role)];
  if (!near || !far || !isPortable(near) || !isPortable(far)) return project;
  switch (random.pick(['back', 'back', 'forth', 'forth', 'column'] as const)) {
    case 'back': {
      const back = target.relationships.filter((each) => each.target === table.name);
      const inverse = back.filter(({ columns }) =>
        columns.every(([own, other]) =>
          relationship.columns.some(([near, far]) => near === other && far === own),
        ),
      );
      if (back.length === 0) return project;
      const { name } = random.pick(inverse.length > 0 && random.chance(0.8) ? inverse : back);
      return withFilter(
        project,
        target,
        role,
        alone(random, { kind: 'relationship', name, item: near }, far),
      );
    }
    case 'forth': {
      const { name } = relationship;
      const item = (random.chance(0.5) ? allButOne(random, target) : undefined) ?? far;
      const told = withFilter(project, target, role, item);
      return withFilter(
        told,
        tableNamed(told, table.name),
        role,
        alone(random, { kind: 'relationship', name, item }, near),
      );
    }
    case 'column': {
      const [own, other] = random.pick(relationship.columns);
      const { type } = columnNamed(table, own);
      const far = columnNamed(target, other).type;
      if (!haveOneEquality(type, far)) return project;
      const comparisons = [
        { kind: 'operator', operator: '_eq', operand: { kind: 'session', name: session(table, own) } },
      ] as const;
      const both = withFilter(project, table, role, { kind: 'column', name: own, type, comparisons });
      return withFilter(both, tableNamed(both, target.name), role, {
        kind: 'column',
        name: other,
        type: far,
        comparisons,
      });
    }
  }
}

/** A rule that hides a row and shows most others, so that it matters which of several rows it was that fulfilled it. */
function allButOne(random: Random, table: Table): Condition | undefined {
  if (table.rows.length === 0) return undefined;
  const row = random.pick(table.rows);
  const told = table.columns.filter(({ name }) => row[name] !== null);
  if (told.length === 0) return undefined;
  const { name, type } = random.pick(told);
  const operand = { kind: 'value', value: row[name]! } as const;
  return { kind: 'column', name, type, comparisons: [{ kind: 'operator', operator: '_neq', operand }] };
}

/** Mostly by itself; with what was there before, the rule still says the first. */
function alone(random: Random, condition: Condition, before: Condition): Condition {
  return random.chance(0.8) ? condition : { kind: 'and', items: random.shuffle([condition, before]) };
}

function filterOf(table: Table, role: string): Condition | undefined {
  return table.permissions.find((permission) => permission.role === role)?.filter;
}

/** What speaks of the row that the rule is about would speak of another one elsewhere. */
function isPortable(condition: Condition): boolean {
  const text = JSON.stringify(condition);
  return text.length < MAX_LENGTH && !text.includes('"root":true');
}

function withFilter(project: Project, { name }: Table, role: string, filter: Condition): Project {
  const changed = (permission: Permission) =>
    permission.role === role ? { ...permission, filter } : permission;
  return {
    ...project,
    tables: project.tables.map((table) =>
      table.name === name ? { ...table, permissions: table.permissions.map(changed) } : table,
    ),
  };
}
