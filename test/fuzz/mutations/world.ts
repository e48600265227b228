/**
 * The database of the mutation campaign: defaults, sequences, unique keys, checks, foreign keys with and without actions, a
 * generated column, a table that refers to itself, a one-to-one relationship from either side, a view that takes writes.
 * The tables are the same in every case; rows and permissions are random.
 */
import type { JsonObject } from '../../../compiler/model/metadata.ts';
import { conditionJson } from '../queries/condition.ts';
import type { Column, Project, Relationship, Row, Table } from '../queries/project.ts';
import { sqlLiteral, TYPES } from '../queries/types.ts';
import type { Permissions, WriteRules } from './permissions.ts';

export interface Rules {
  /** The column that a sequence fills. */
  readonly serial?: string;
  readonly defaults: Row;
  /** Constraint → columns; the primary key first. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Table CHECK: the column must be null or at least this. */
  readonly least?: readonly [column: string, least: number];
  /** Generated column: twice the other one. */
  readonly doubled?: readonly [column: string, of: string];
  readonly references: readonly {
    readonly column: string;
    readonly target: string;
    readonly onDelete: 'no action' | 'cascade' | 'set null';
  }[];
}

export const ROLES = ['one', 'two'];
/** Inherits from both. */
export const HEIR = 'heir';

export const RULES: Readonly<Record<string, Rules>> = {
  team: {
    serial: 'id',
    defaults: { score: 5 },
    keys: { team_pkey: ['id'], team_name_key: ['name'] },
    least: ['score', 0],
    references: [],
  },
  player: {
    serial: 'id',
    defaults: { n: 1 },
    keys: { player_pkey: ['id'], player_nick_key: ['nick'] },
    doubled: ['doubled', 'n'],
    references: [
      { column: 'team_id', target: 'team', onDelete: 'no action' },
      { column: 'mentor_id', target: 'player', onDelete: 'set null' },
    ],
  },
  badge: {
    defaults: { points: 0 },
    keys: { badge_pkey: ['player_id', 'kind'] },
    least: ['points', -1],
    references: [{ column: 'player_id', target: 'player', onDelete: 'cascade' }],
  },
  profile: {
    serial: 'id',
    defaults: {},
    keys: { profile_pkey: ['id'], profile_player_id_key: ['player_id'] },
    references: [{ column: 'player_id', target: 'player', onDelete: 'no action' }],
  },
};

/** The tables behind the names that are written to: a view's rows are its table's. */
export function baseOf(table: string): string {
  return table === 'rookie' ? 'player' : table;
}

const SCHEMA = `
create table team (id serial primary key, name text unique, score integer not null default 5 check (score >= 0), flag boolean);
create table player (
  id serial primary key, team_id integer references team, nick text not null unique, n integer default 1, info jsonb,
  mentor_id integer references player on delete set null, doubled integer generated always as (n * 2) stored
);
create table badge (
  player_id integer not null references player on delete cascade, kind text not null,
  points integer not null default 0 check (points >= -1), primary key (player_id, kind)
);
create table profile (id serial primary key, player_id integer not null unique references player, bio text);
create view rookie as select id, team_id, nick, n from player where n is not null;
`;

export const schemaSql = `drop schema if exists public cascade; create schema public; ${SCHEMA}`;

const column = (name: string, type: Column['type'], nullable = false): Column => ({ name, type, nullable });
const relationship = (
  name: string,
  kind: Relationship['kind'],
  target: string,
  own: string,
  other: string,
): Relationship => ({
  name,
  kind,
  target,
  columns: [[own, other]],
  declared: other === 'id' ? 'own key' : 'other key',
});
const blank = {
  schema: 'public',
  kind: 'table',
  foreignKeys: [],
  computedFields: [],
  permissions: [],
  rows: [],
} as const;

/** Columns by table, generated ones last. */
const TABLES: readonly Table[] = [
  {
    ...blank,
    name: 'team',
    columns: [
      column('id', 'int4'),
      column('name', 'text', true),
      column('score', 'int4'),
      column('flag', 'bool', true),
    ],
    primaryKey: ['id'],
    relationships: [relationship('players', 'array', 'player', 'id', 'team_id')],
  },
  {
    ...blank,
    name: 'player',
    columns: [
      column('id', 'int4'),
      column('team_id', 'int4', true),
      column('nick', 'text'),
      column('n', 'int4', true),
      column('info', 'jsonb', true),
      column('mentor_id', 'int4', true),
      column('doubled', 'int4', true),
    ],
    primaryKey: ['id'],
    relationships: [
      relationship('team', 'object', 'team', 'team_id', 'id'),
      relationship('mentor', 'object', 'player', 'mentor_id', 'id'),
      relationship('pupils', 'array', 'player', 'id', 'mentor_id'),
      relationship('badges', 'array', 'badge', 'id', 'player_id'),
      relationship('profile', 'object', 'profile', 'id', 'player_id'),
    ],
  },
  {
    ...blank,
    name: 'badge',
    columns: [column('player_id', 'int4'), column('kind', 'text'), column('points', 'int4')],
    primaryKey: ['player_id', 'kind'],
    relationships: [relationship('player', 'object', 'player', 'player_id', 'id')],
  },
  {
    ...blank,
    name: 'profile',
    columns: [column('id', 'int4'), column('player_id', 'int4'), column('bio', 'text', true)],
    primaryKey: ['id'],
    relationships: [relationship('player', 'object', 'player', 'player_id', 'id')],
  },
  {
    ...blank,
    name: 'rookie',
    kind: 'view',
    columns: [
      column('id', 'int4', true),
      column('team_id', 'int4', true),
      column('nick', 'text', true),
      column('n', 'int4', true),
    ],
    primaryKey: [],
    relationships: [],
    view: { table: 'player', notNull: 'n' },
  },
];

/** The project as the lens and the conditions of the query campaign know it. */
export function projectOf(rows: Readonly<Record<string, readonly Row[]>>, permissions: Permissions): Project {
  return {
    inheritedRoles: permissions.hasHeir ? [{ name: HEIR, parents: ROLES }] : [],
    tables: TABLES.map((table) => ({
      ...table,
      rows: rows[table.name] ?? [],
      permissions: permissions.select[table.name] ?? [],
    })),
  };
}

/** Empties the tables (so few rows are deleted faster than truncated), fills in the rows, and puts the sequences where the model has them. */
export function resetSql(
  rows: Readonly<Record<string, readonly Row[]>>,
  sequences: Readonly<Record<string, number>>,
): string {
  const tables = TABLES.filter(({ kind }) => kind === 'table');
  return [
    ...[...tables].reverse().map(({ name }) => `delete from ${name}`),
    ...tables.flatMap((table) => {
      const columns = table.columns.filter(({ name }) => name !== RULES[table.name]!.doubled?.[0]);
      const own = (rows[table.name] ?? []).map(
        (row) =>
          `(${columns.map(({ name, type }) => sqlLiteral(TYPES[type], row[name]!, row[name] === null)).join(', ')})`,
      );
      return own.length === 0
        ? []
        : [
            `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')}) values ${own.join(', ')}`,
          ];
    }),
    ...Object.entries(sequences).map(
      ([table, last]) => `select setval('${table}_id_seq', ${Math.max(last, 1)}, ${last > 0})`,
    ),
  ].join(';\n');
}

/** Every table's rows as JSON, by primary key. */
export const stateSql = `select json_build_object(${TABLES.filter(({ kind }) => kind === 'table')
  .map(
    ({ name, primaryKey }) =>
      `'${name}', (select coalesce(json_agg(t order by ${primaryKey.join(', ')}), '[]') from ${name} t)`,
  )
  .join(', ')})::text as state`;

export function metadataOf(permissions: Permissions): JsonObject {
  const entries = (kind: 'insert' | 'update' | 'delete', table: string, body: (rules: never) => JsonObject) =>
    Object.entries(permissions.write).flatMap(([role, tables]) => {
      const rules = tables[table]?.[kind];
      return rules
        ? [
            {
              role,
              permission: { ...body(rules as never), ...(rules.backendOnly && { backend_only: true }) },
            },
          ]
        : [];
    });
  return {
    version: 3,
    ...(permissions.hasHeir && { inherited_roles: [{ role_name: HEIR, role_set: ROLES }] }),
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        tables: TABLES.map(({ name, relationships }) => ({
          table: name,
          object_relationships: relationships
            .filter(({ kind }) => kind === 'object')
            .map(({ name: relation, target, columns: [pair], declared }) => ({
              name: relation,
              using: {
                foreign_key_constraint_on:
                  declared === 'own key' ? pair![0] : { table: target, column: pair![1] },
              },
            })),
          array_relationships: relationships
            .filter(({ kind }) => kind === 'array')
            .map(({ name: relation, target, columns: [pair] }) => ({
              name: relation,
              using: { foreign_key_constraint_on: { table: target, column: pair![1] } },
            })),
          select_permissions: (permissions.select[name] ?? []).map(
            ({ role, columns, filter, aggregations, limit }) => ({
              role,
              permission: {
                columns,
                filter: conditionJson(filter) as JsonObject,
                allow_aggregations: aggregations,
                ...(limit !== undefined && { limit }),
              },
            }),
          ),
          insert_permissions: entries('insert', name, (rules: NonNullable<WriteRules['insert']>) => ({
            columns: rules.columns,
            check: conditionJson(rules.check) as JsonObject,
            set: presets(rules.set),
          })),
          update_permissions: entries('update', name, (rules: NonNullable<WriteRules['update']>) => ({
            columns: rules.columns,
            filter: conditionJson(rules.filter) as JsonObject,
            ...(rules.check && { check: conditionJson(rules.check) as JsonObject }),
            set: presets(rules.set),
          })),
          delete_permissions: entries('delete', name, (rules: NonNullable<WriteRules['delete']>) => ({
            filter: conditionJson(rules.filter) as JsonObject,
          })),
        })),
      },
    ],
  };
}

function presets(set: NonNullable<WriteRules['insert']>['set']): JsonObject {
  return Object.fromEntries(
    Object.entries(set).map(([name, preset]) => [
      name,
      preset.kind === 'session' ? preset.name : preset.value,
    ]),
  );
}
