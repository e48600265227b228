/** Random metadata over the database, and random changes of it. */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';
import { editCondition, randomCondition } from './random-condition.ts';
import {
  COLUMNS,
  COMPUTED,
  type Column,
  FUNCTIONS,
  INHERITED,
  OPERATIONS,
  type Operation,
  type Permission,
  type Project,
  RELATIONSHIPS,
  type Relationship,
  ROLES,
  TABLES,
  type TableName,
  WRITTEN,
} from './world.ts';

export function randomProject(random: Random): Project {
  const project: Project = { tables: {}, functions: random.some(FUNCTIONS, 0.5), parents: [] };
  for (const table of TABLES)
    project.tables[table] = {
      relationships: firstOfEach(random.shuffle(RELATIONSHIPS[table])),
      computed: table === 'item' ? { title: random.pick(COMPUTED.title!), mates: 'item_peers' } : {},
      permissions: {},
    };
  for (const table of TABLES)
    for (const role of ROLES)
      for (const operation of OPERATIONS)
        if (random.chance(operation === 'select' ? 0.75 : 0.35))
          grant(random, project, table, role, operation);
  if (random.chance(0.7)) project.parents = [...ROLES];
  return project;
}

function firstOfEach(all: readonly Relationship[]): Relationship[] {
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function grant(random: Random, project: Project, table: TableName, role: string, operation: Operation): void {
  if (operation !== 'select' && !WRITTEN.includes(table)) return;
  project.tables[table]!.permissions[role] = {
    ...project.tables[table]!.permissions[role],
    [operation]: randomPermission(random, project, table, operation),
  };
}

function randomPermission(
  random: Random,
  project: Project,
  table: TableName,
  operation: Operation,
): Permission {
  const condition = () => (random.chance(0.1) ? {} : randomCondition(random, project, table));
  const names = COLUMNS[table].map(({ name }) => name);
  const columns = random.some(names, 0.75);
  switch (operation) {
    case 'select':
      return {
        columns: columns.length > 0 ? columns : [names[0]!],
        computed_fields: table === 'item' ? random.some(Object.keys(COMPUTED), 0.3) : [],
        filter: condition(),
        ...(random.chance(0.15) && { limit: random.between(1, 5) }),
        ...(random.chance(0.3) && { allow_aggregations: true }),
        ...(random.chance(0.1) && { query_root_fields: random.some(['select', 'select_by_pk'], 0.4) }),
      };
    case 'insert':
    case 'update': {
      const set = randomPresets(random, table);
      return {
        columns: columns.filter((name) => !Object.hasOwn(set, name)),
        set,
        ...(operation === 'update' && { filter: condition() }),
        ...((operation === 'insert' || random.chance(0.6)) && { check: condition() }),
        ...(random.chance(0.1) && { backend_only: true }),
      };
    }
    case 'delete':
      return { filter: condition() };
  }
}

function randomPresets(random: Random, table: TableName): Record<string, Json> {
  return Object.fromEntries(
    random.some(settable(table), 0.2).map((column) => [column.name, randomPreset(random, column)]),
  );
}

function settable(table: TableName): Column[] {
  return COLUMNS[table].filter(({ name, values }) => name !== 'id' && values.length > 0);
}

function randomPreset(random: Random, { values, variables }: Column): Json {
  return variables.length > 0 && random.chance(0.6) ? random.pick(variables) : random.pick(values);
}

/** Changes the project in place, once; what was done. It may not compile any more. */
export function changeProject(random: Random, project: Project): string {
  const places = (Object.keys(project.tables) as TableName[]).flatMap((table) =>
    Object.entries(project.tables[table]!.permissions).flatMap(([role, permissions]) =>
      (Object.entries(permissions) as [Operation, Permission][]).map(([operation, permission]) => ({
        table,
        role,
        operation,
        permission,
      })),
    ),
  );
  if (places.length > 0 && random.chance(0.8)) {
    const place = random.pick(places);
    const what = changePermission(random, project, place);
    return `${place.role}, ${place.operation} ${place.table}: ${what}`;
  }
  return changeSurroundings(random, project);
}

function changePermission(
  random: Random,
  project: Project,
  { table, operation, permission }: { table: TableName; operation: Operation; permission: Permission },
): string {
  const rules = (['filter', 'check'] as const).filter((key) => permission[key] !== undefined);
  if (rules.length > 0 && random.chance(0.6)) {
    const key = random.pick(rules);
    if (key === 'check' && operation === 'update' && random.chance(0.1)) {
      delete permission.check;
      return 'no check';
    }
    let edited: JsonObject = permission[key]!;
    for (let edits = random.between(1, 2); edits > 0; edits -= 1)
      edited = editCondition(random, project, table, edited);
    permission[key] = edited;
    return `another ${key}`;
  }
  const flip = <Item>(list: readonly Item[] = [], item: Item) =>
    list.includes(item) ? list.filter((each) => each !== item) : [...list, item];
  switch (random.pick(OTHER_CHANGES[operation])) {
    case 'columns':
      permission.columns = flip(permission.columns, random.pick(COLUMNS[table]).name);
      return 'columns';
    case 'computed':
      permission.computed_fields = flip(permission.computed_fields, random.pick(Object.keys(COMPUTED)));
      return 'computed fields';
    case 'aggregations':
      permission.allow_aggregations = !permission.allow_aggregations;
      return 'aggregations';
    case 'limit':
      if (permission.limit === undefined || random.chance(0.5)) permission.limit = random.between(1, 6);
      else delete permission.limit;
      return 'limit';
    case 'roots':
      if (permission.query_root_fields && random.chance(0.5)) delete permission.query_root_fields;
      else
        permission.query_root_fields = flip(
          permission.query_root_fields,
          random.pick(['select', 'select_by_pk']),
        );
      return 'root fields';
    case 'backend':
      permission.backend_only = !permission.backend_only;
      return 'backend_only';
    case 'preset': {
      const column = random.pick(settable(table));
      const { [column.name]: before, ...set } = permission.set ?? {};
      if (before === undefined || random.chance(0.6)) set[column.name] = randomPreset(random, column);
      else if (random.chance(0.7)) permission.columns = [...new Set([...permission.columns!, column.name])];
      permission.set = set;
      return 'preset';
    }
  }
}

type OtherChange = 'columns' | 'computed' | 'aggregations' | 'limit' | 'roots' | 'backend' | 'preset';
const OTHER_CHANGES: Readonly<Record<Operation, readonly OtherChange[]>> = {
  select: ['columns', 'computed', 'aggregations', 'limit', 'roots'],
  insert: ['columns', 'backend', 'preset', 'preset'],
  update: ['columns', 'backend', 'preset', 'preset'],
  delete: ['backend'],
};

function changeSurroundings(random: Random, project: Project): string {
  const tables = Object.keys(project.tables) as TableName[];
  const table = random.pick(tables);
  const entry = project.tables[table]!;
  switch (random.below(8)) {
    case 0:
      grant(random, project, table, random.pick(ROLES), random.pick(OPERATIONS));
      return `a permission on ${table}`;
    case 1: {
      const role = random.pick(ROLES);
      delete entry.permissions[role]?.[random.pick(OPERATIONS)];
      return `a permission less on ${table}`;
    }
    case 2: {
      const [from, to] = random.shuffle(ROLES);
      const operation = random.pick(OPERATIONS);
      const copied = entry.permissions[from!]?.[operation];
      if (copied)
        entry.permissions[to!] = { ...entry.permissions[to!], [operation]: structuredClone(copied) };
      return `${to} as ${from} on ${table}`;
    }
    case 3:
    case 4: {
      const next = random.pick(RELATIONSHIPS[table]);
      entry.relationships = [...entry.relationships.filter(({ name }) => name !== next.name), next];
      return `the relationship ${table}.${next.name}`;
    }
    case 5: {
      const name = random.pick(FUNCTIONS);
      project.functions = project.functions.includes(name)
        ? project.functions.filter((other) => other !== name)
        : [...project.functions, name];
      return `the function ${name}`;
    }
    case 6:
      project.tables.item!.computed.title = random.pick(COMPUTED.title!);
      return 'the computed field title';
    default:
      project.parents = random.some(ROLES, 0.6);
      return `parents of ${INHERITED}`;
  }
}
