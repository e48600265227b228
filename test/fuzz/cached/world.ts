/**
 * The database and the random metadata of the random test of kept answers. Each role reads session variables at several places of its
 * own: in rules of the table, through relationships, in computed fields and functions that take the session. Nothing in them changes
 * without a write, so that every answer may be kept.
 */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';
import type { Random } from '../random.ts';

export const SCHEMA = `
  create table team (id int primary key, tenant int not null, kind text not null, name text not null, n int not null default 0);
  create table item (
    id int primary key, team_id int references team, owner int not null, kind text not null, body text not null default '',
    n int not null default 0);
  create index on item (owner);
  create index on item (team_id);
  create index on item (kind);
  create view items as select * from item;
  -- Takes long enough for a write during a read.
  create function crawl(n int) returns int immutable language plpgsql as 'begin perform pg_sleep(0.3); return n; end';
  create view slow_team as select id, crawl(n) as n from team where id = 1;
  create table label (id int primary key, name text);
  create function item_mine(item, session json) returns boolean language sql immutable as
    $$ select $1.owner::text = session ->> 'x-engine-user-id' $$;
  create function labels(session json) returns setof label language sql immutable as
    $$ select 1, session ->> 'x-engine-tenant' union all select 2, session ->> 'x-engine-kind' $$;
  insert into team select i, i % 3, (array['a', 'b', 'c'])[1 + i / 3 % 3], 'team ' || i from generate_series(0, 8) as i;
  insert into item select i, i % 9, i % 4, (array['a', 'b', 'c'])[1 + i % 3], 'item ' || i from generate_series(1, 30) as i;
`;

/** Values of session variables; the tables have rows for each. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'x-engine-user-id': ['0', '1', '2'],
  'x-engine-tenant': ['0', '1', '2'],
  'x-engine-kind': ['a', 'b', 'c'],
  'x-engine-kinds': ['{a,b}', '{b}', '{c,a}'],
};
const ROLES = ['one', 'two', 'three'] as const;

export type Session = Readonly<Record<string, string>>;

/** A session of any role; now and then it lacks a variable. */
export function randomSession(random: Random): Session {
  const variables = Object.entries(VARIABLES)
    .filter(() => random.chance(0.97))
    .map(([name, values]) => [name, random.pick(values)] as const);
  const role = random.pick([...ROLES, ...ROLES, 'both', 'all', 'admin']);
  return { 'x-engine-role': role, ...Object.fromEntries(variables) };
}

const ITEM_RULES: readonly JsonObject[] = [
  { owner: { _eq: 'X-Engine-User-Id' } },
  { kind: { _eq: 'X-Engine-Kind' } },
  { kind: { _in: 'X-Engine-Kinds' } },
  { team: { tenant: { _eq: 'X-Engine-Tenant' } } },
  { team: { kind: { _in: 'X-Engine-Kinds' } } },
  { mine: { _eq: true } },
  { _not: { owner: { _eq: 'X-Engine-User-Id' } } },
  {
    _exists: {
      _table: 'team',
      _where: { tenant: { _eq: 'X-Engine-Tenant' }, kind: { _eq: 'X-Engine-Kind' } },
    },
  },
];
const TEAM_RULES: readonly JsonObject[] = [
  { tenant: { _eq: 'X-Engine-Tenant' } },
  { kind: { _in: 'X-Engine-Kinds' } },
  { items: { owner: { _eq: 'X-Engine-User-Id' } } },
  { _not: { items: { kind: { _eq: 'X-Engine-Kind' } } } },
];

function ruleOf(random: Random, rules: readonly JsonObject[]): JsonObject {
  const [first, second] = [random.pick(rules), random.pick(rules)];
  return random.pick<JsonObject>([first, { _and: [first, second] }, { _or: [first, second] }]);
}

/** Roles by random rules; those that inherit have the cells of each by its rule. */
export function randomMetadata(random: Random, url: string): JsonObject {
  const select = (columns: readonly string[], rules: readonly JsonObject[], more: JsonObject = {}) =>
    ROLES.map((role) => ({
      role,
      permission: {
        columns: ['id', 'n', ...random.some(columns, 0.7)],
        filter: ruleOf(random, rules),
        allow_aggregations: true,
        ...(random.chance(0.2) && { limit: 5 }),
        ...more,
      },
    }));
  const itemColumns = ['team_id', 'owner', 'kind', 'body'];
  const viewRules = ITEM_RULES.filter((rule) => !('mine' in rule));
  const team = { remote_table: 'team', column_mapping: { team_id: 'id' } };
  const tables = [
    {
      table: 'team',
      array_relationships: [
        { name: 'items', using: { foreign_key_constraint_on: { table: 'item', column: 'team_id' } } },
      ],
      select_permissions: select(['tenant', 'kind', 'name'], TEAM_RULES),
    },
    {
      table: 'item',
      object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
      computed_fields: [{ name: 'mine', definition: { function: 'item_mine', session_argument: 'session' } }],
      select_permissions: select(itemColumns, ITEM_RULES, { computed_fields: ['mine'] }),
    },
    {
      table: 'items',
      object_relationships: [{ name: 'team', using: { manual_configuration: team } }],
      select_permissions: select(itemColumns, viewRules),
    },
    { table: 'slow_team' },
    {
      table: 'label',
      select_permissions: ROLES.map((role) => ({ role, permission: { columns: '*', filter: {} } })),
    },
  ];
  const functions = [{ function: 'labels', configuration: { session_argument: 'session' } }];
  return {
    version: 3,
    sources: [defaultSource({ tables, functions }, url)],
    inherited_roles: [
      { role_name: 'both', role_set: ['one', 'two'] },
      { role_name: 'all', role_set: ['both', 'three'] },
    ],
  } as unknown as JsonObject;
}

export interface CachedRequest {
  /** The operation; `@cached` is put after its name. */
  readonly name: string;
  readonly declared: string;
  readonly fields: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

let operations = 0;

/** Fields that every role may ask for, in any order and by any name. */
export function randomRequest(random: Random): CachedRequest {
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];
  const value = (type: string, given: unknown): string => {
    if (random.chance(0.3)) return JSON.stringify(given);
    const name = `v${declarations.length}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = given;
    return `$${name}`;
  };
  const condition = (depth = 1): string =>
    random.pick<() => string>([
      () => `{id: {_gt: ${value('Int', random.below(30))}}}`,
      () =>
        `{id: {_in: ${value(
          '[Int!]',
          random.list(3, () => random.below(30)),
        )}}}`,
      () => `{n: {_eq: ${value('Int', random.below(5))}}}`,
      () => `{id: {_eq: ${value('Int', random.below(30))}}}`,
      () => (depth > 0 ? `{_not: ${condition(depth - 1)}}` : '{}'),
      () => (depth > 0 ? `{_or: [${condition(depth - 1)}, ${condition(depth - 1)}]}` : '{}'),
    ])();
  const include = () => (random.chance(0.3) ? ` @include(if: ${value('Boolean!', random.chance(0.7))})` : '');
  const limit = () => (random.chance(0.3) ? `, limit: ${value('Int', random.between(0, 8))}` : '');
  const args = () => `(where: ${condition()}, order_by: {id: asc}${limit()})`;
  const team = () => `team${include()} { id n ${random.chance(0.3) ? `items${args()} { id n }` : ''} }`;
  const item = () =>
    `id n ${random.chance(0.4) ? `m: mine${include()}` : ''} ${random.chance(0.4) ? team() : ''}`;
  const aggregate = 'aggregate { count max { n } } nodes { id }';
  const root = (index: number): string => {
    const field = random.pick<() => string>([
      () => `item${args()} { ${item()} }`,
      () => `item${args()} { ${item()} }`,
      () => `items${args()} { id n ${random.chance(0.4) ? team() : ''} }`,
      () =>
        `team${args()} { id n items${args()} { ${item()} } items_aggregate(order_by: {id: asc}) { ${aggregate} } }`,
      () => `item_by_pk(id: ${value('Int!', random.between(1, 30))}) { ${item()} }`,
      () => `item_aggregate${args()} { ${aggregate} }`,
      () => `team_aggregate(where: {items: ${condition()}}, order_by: {id: asc}) { ${aggregate} }`,
      () => 'labels(order_by: {id: asc}) { id name }',
    ])();
    return `r${index}: ${field}`;
  };
  const fields = random.list(random.pick([1, 1, 2]), root).join(' ');
  operations += 1;
  return {
    name: `o${operations}`,
    declared: declarations.length > 0 ? `(${declarations.join(', ')})` : '',
    fields,
    variables,
  };
}

/** A statement of another program. */
export function randomWrite(random: Random): string {
  const id = random.between(1, 30);
  const kind = random.pick(['a', 'b', 'c']);
  return random.pick([
    `update item set n = n + 1 where id = ${id}`,
    `update item set owner = ${random.below(4)} where id = ${id}`,
    `update item set kind = '${kind}', team_id = ${random.below(9)} where id = ${id}`,
    `update team set tenant = ${random.below(3)}, n = n + 1 where id = ${random.below(9)}`,
    `update team set kind = '${kind}' where id = ${random.below(9)}`,
    `delete from item where id = ${id}`,
    `insert into item (id, team_id, owner, kind) values (${id}, ${random.below(9)}, ${random.below(4)}, '${kind}') on conflict do nothing`,
    'truncate label',
  ]);
}

/** A mutation of the administrator to a table, whose clients read it at once. */
export function randomMutation(random: Random): string {
  const where = `where: {id: {_eq: ${random.between(1, 30)}}}`;
  return random.pick([
    `mutation { update_item(${where}, _inc: {n: 1}) { affected_rows } }`,
    `mutation { update_item(${where}, _set: {owner: ${random.below(4)}}) { affected_rows } }`,
    `mutation { update_team(where: {id: {_eq: ${random.below(9)}}}, _set: {tenant: ${random.below(3)}}) { affected_rows } }`,
    `mutation { delete_item(${where}) { affected_rows } }`,
  ]);
}
