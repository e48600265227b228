/** A small database whose rows are told apart by their values, and the metadata over it as data that can be changed at random. */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';
import type { Random } from '../random.ts';

export const SCHEMA = `
drop schema if exists public, app, unused_schema cascade; create schema public;
create type mood as enum ('good', 'bad');
create table team (id int primary key, tenant int not null, name text not null, secret text);
create table person (
  id int primary key, tenant int not null, team_id int references team, mood mood, active boolean not null, name text,
  secret text
);
create table item (
  id int primary key, tenant int not null, owner_id int references person, reviewer_id int references person,
  state text not null, level int, facts jsonb, secret text
);
create table label (item_id int references item, name text, weight int, secret text, primary key (item_id, name));
create view open_item as select id, tenant, owner_id, secret as title from item where state = 'open';
create function item_title(item) returns text language sql stable as $$ select $1.secret $$;
create function item_state(item) returns text language sql stable as $$ select $1.state $$;
create function item_peers(item) returns setof item language sql stable as
  $$ select * from item where owner_id = $1.owner_id $$;
create function all_items() returns setof item language sql stable as $$ select * from item $$;
create function open_items() returns setof item language sql stable as $$ select * from item where state = 'open' $$;
`;

type ColumnType = 'int' | 'text' | 'mood' | 'bool' | 'json';
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Values that conditions compare with, beside session variables; none for those that only tell rows apart. */
  readonly values: readonly Json[];
  /** Session variables that it is compared with. */
  readonly variables: readonly string[];
}
export type TableName = 'team' | 'person' | 'item' | 'label' | 'open_item';

const column = (
  name: string,
  type: ColumnType,
  nullable: boolean,
  values: readonly Json[],
  variables: readonly string[] = [],
): Column => ({ name, type, nullable, values, variables });

const TENANT = column('tenant', 'int', false, [1, 2], ['X-Engine-Tenant']);
const ID = column('id', 'int', false, [1, 2, 3, 6], ['X-Engine-User-Id']);
const SECRET = column('secret', 'text', true, []);

export const COLUMNS: Readonly<Record<TableName, readonly Column[]>> = {
  team: [ID, TENANT, column('name', 'text', false, ['red', 'blue']), SECRET],
  person: [
    ID,
    TENANT,
    column('team_id', 'int', true, [1, 2], ['X-Engine-Team']),
    column('mood', 'mood', true, ['good', 'bad']),
    column('active', 'bool', false, [true, false]),
    column('name', 'text', true, ['ann', 'bob']),
    SECRET,
  ],
  item: [
    ID,
    TENANT,
    column('owner_id', 'int', true, [1, 2, 3], ['X-Engine-User-Id']),
    column('reviewer_id', 'int', true, [1, 2, 3], ['X-Engine-User-Id']),
    column('state', 'text', false, ['open', 'closed'], ['X-Engine-State']),
    column('level', 'int', true, [1, 2, 3], ['X-Engine-Level']),
    column('facts', 'json', true, []),
    SECRET,
  ],
  label: [
    column('item_id', 'int', false, [1, 2, 3]),
    column('name', 'text', false, ['hot', 'spam']),
    column('weight', 'int', true, [1, 2]),
    SECRET,
  ],
  open_item: [
    ID,
    TENANT,
    column('owner_id', 'int', true, [1, 2, 3], ['X-Engine-User-Id']),
    column('title', 'text', true, []),
  ],
};
export const TABLES = Object.keys(COLUMNS) as TableName[];
export const WRITTEN: readonly TableName[] = ['team', 'person', 'item', 'label'];
/** Columns whose values occur once in the database, wherever they are shown. */
export const SECRETS = /^(?:team|person|item|label)-\d+-secret$/;

export type Row = Readonly<Record<string, Json>>;
export type Rows = Readonly<Record<Exclude<TableName, 'open_item'>, readonly Row[]>>;

/** Rows of every table; few values, so that conditions hold for some of them. */
export function randomRows(random: Random): Rows {
  const some = <T extends Json>(values: readonly T[], nullable = false): T | null =>
    nullable && random.chance(0.25) ? null : random.pick(values);
  const rows = (table: string, count: number, make: (id: number) => Row): Row[] =>
    random.list(count, (index) => ({ ...make(index + 1), secret: `${table}-${index + 1}-secret` }));
  const items = rows('item', random.between(5, 9), (id) => ({
    id,
    tenant: some([1, 2]),
    owner_id: some([1, 2, 3, 4], true),
    reviewer_id: some([1, 2, 3, 4], true),
    state: some(['open', 'closed', 'draft']),
    level: some([0, 1, 2, 3, 4], true),
    facts: some([{ a: 1 }, { a: 2, b: true }, []], true),
  }));
  const names = ['hot', 'spam', 'new'];
  const labelled = items.flatMap(({ id }) =>
    random.some(names, 0.5).map((name): Row => ({ item_id: id!, name, weight: some([1, 2, 3], true) })),
  );
  return {
    team: rows('team', 3, (id) => ({ id, tenant: some([1, 2]), name: some(['red', 'blue', 'green']) })),
    person: rows('person', 5, (id) => ({
      id,
      tenant: some([1, 2]),
      team_id: some([1, 2, 3], true),
      mood: some(['good', 'bad'], true),
      active: some([true, false]),
      name: some(['ann', 'bob', 'cid'], true),
    })),
    item: items,
    label: labelled.map((row, index) => ({ ...row, secret: `label-${index + 1}-secret` })),
  };
}

/** A row that may be written: new, or what becomes of one that is there. */
export function randomRow(random: Random, table: TableName, number: number): Row {
  return Object.fromEntries(
    COLUMNS[table].map(({ name, type, nullable, values }): [string, Json] => {
      if (name === 'id') return [name, number];
      if (nullable && random.chance(0.25)) return [name, null];
      if (type === 'json') return [name, random.pick<Json>([{ a: 1 }, { a: 2 }])];
      return [name, values.length > 0 ? random.pick(values) : `${table}-new`];
    }),
  );
}

export type Variables = Readonly<Record<string, string>>;

export function randomSession(random: Random): Variables {
  return {
    'x-engine-user-id': String(random.between(1, 5)),
    'x-engine-tenant': String(random.between(1, 2)),
    'x-engine-team': String(random.between(1, 3)),
    'x-engine-level': String(random.between(0, 4)),
    'x-engine-state': random.pick(['open', 'closed', 'draft']),
    'x-engine-ids': random.pick(['{1,2}', '{3}', '{}']),
  };
}

export interface Relationship {
  readonly name: string;
  readonly kind: 'object' | 'array';
  readonly target: TableName;
  /** Own column → the target's. */
  readonly columns: Readonly<Record<string, string>>;
}

/** Every relationship that there may be, by table. Some have the same name: one takes the other's place. */
export const RELATIONSHIPS: Readonly<Record<TableName, readonly Relationship[]>> = {
  team: [
    { name: 'people', kind: 'array', target: 'person', columns: { id: 'team_id' } },
    { name: 'people', kind: 'array', target: 'person', columns: { tenant: 'tenant' } },
  ],
  person: [
    { name: 'team', kind: 'object', target: 'team', columns: { team_id: 'id' } },
    { name: 'team', kind: 'object', target: 'team', columns: { tenant: 'id' } },
    { name: 'items', kind: 'array', target: 'item', columns: { id: 'owner_id' } },
    { name: 'items', kind: 'array', target: 'item', columns: { id: 'reviewer_id' } },
    { name: 'opened', kind: 'array', target: 'open_item', columns: { id: 'owner_id' } },
  ],
  item: [
    { name: 'owner', kind: 'object', target: 'person', columns: { owner_id: 'id' } },
    { name: 'owner', kind: 'object', target: 'person', columns: { reviewer_id: 'id' } },
    { name: 'reviewer', kind: 'object', target: 'person', columns: { reviewer_id: 'id' } },
    { name: 'labels', kind: 'array', target: 'label', columns: { id: 'item_id' } },
    { name: 'opened', kind: 'array', target: 'open_item', columns: { id: 'id' } },
    { name: 'peers', kind: 'array', target: 'item', columns: { tenant: 'tenant' } },
    { name: 'peers', kind: 'array', target: 'item', columns: { owner_id: 'owner_id', tenant: 'tenant' } },
  ],
  label: [{ name: 'item', kind: 'object', target: 'item', columns: { item_id: 'id' } }],
  open_item: [
    { name: 'owner', kind: 'object', target: 'person', columns: { owner_id: 'id' } },
    { name: 'item', kind: 'object', target: 'item', columns: { id: 'id' } },
  ],
};

export const ROLES = ['user', 'guest'] as const;
export const INHERITED = 'both';
export type Operation = 'select' | 'insert' | 'update' | 'delete';
export const OPERATIONS: readonly Operation[] = ['select', 'insert', 'update', 'delete'];

/** A permission in the words of the metadata. */
export interface Permission {
  columns?: string[];
  computed_fields?: string[];
  filter?: JsonObject;
  check?: JsonObject;
  set?: Record<string, Json>;
  limit?: number;
  allow_aggregations?: boolean;
  backend_only?: boolean;
  query_root_fields?: string[];
}

interface ProjectTable {
  relationships: Relationship[];
  /** Field → function. */
  computed: Record<string, string>;
  permissions: Record<string, Partial<Record<Operation, Permission>>>;
}

/** Metadata, to be changed in place. */
export interface Project {
  tables: Partial<Record<TableName, ProjectTable>>;
  functions: string[];
  /** Parents of the inherited role. */
  parents: string[];
}

/** The functions that a computed field may have, by its name. */
export const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  title: ['item_title', 'item_state'],
  mates: ['item_peers'],
};
export const FUNCTIONS = ['all_items', 'open_items'];

export function metadataOf({ tables, functions, parents }: Project): JsonObject {
  return {
    version: 3,
    sources: [
      defaultSource({
        tables: (Object.entries(tables) as [TableName, ProjectTable][]).map(([table, entry]) => ({
          table,
          object_relationships: relationships(entry, 'object'),
          array_relationships: relationships(entry, 'array'),
          computed_fields: Object.entries(entry.computed).map(([name, fn]) => ({
            name,
            definition: { function: fn },
          })),
          ...Object.fromEntries(
            OPERATIONS.map((operation) => [
              `${operation}_permissions`,
              Object.entries(entry.permissions).flatMap(([role, { [operation]: permission }]) =>
                permission ? [{ role, permission: permission as unknown as JsonObject }] : [],
              ),
            ]),
          ),
        })),
        functions: functions.map((name) => ({ function: name })),
      }),
    ],
    inherited_roles: parents.length > 0 ? [{ role_name: INHERITED, role_set: parents }] : [],
  };
}

function relationships(entry: ProjectTable, kind: Relationship['kind']): JsonObject[] {
  return entry.relationships
    .filter((relationship) => relationship.kind === kind)
    .map(({ name, target, columns }) => ({
      name,
      using: { manual_configuration: { remote_table: target, column_mapping: columns } },
    }));
}
