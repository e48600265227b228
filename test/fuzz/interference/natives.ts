/**
 * Native queries over the tables of a world. Their logical models have the rules of the tables, where those ask for nothing that a model
 * does not have, so the same rows and cells are hidden: in rows of a query, in rows inside of rows, and in rows that a mutation returns.
 */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';

/** `crews` are teams with their items inside, `entries` items with their notes, `remarks` notes. */
export type NativeName = 'crews' | 'entries' | 'remarks';

type TableName = 'team' | 'item' | 'note';
type Rules = Readonly<Record<TableName, { readonly filter: JsonObject; readonly isWithoutRoots?: true }>>;
/** Columns that the second role shows. */
type Shown = Readonly<Record<TableName, readonly string[]>>;

interface Native {
  readonly table: TableName;
  readonly model: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Field → the query whose model its rows have. */
  readonly inside: Readonly<Record<string, NativeName>>;
  readonly object_relationships: readonly JsonObject[];
  readonly array_relationships: readonly JsonObject[];
}

const SHARED = { id: 'int', owner: 'int', open: 'boolean', weight: 'float8', area: 'box' } as const;
const related = (name: string, remote_table: TableName, own: string, other: string): JsonObject => ({
  name,
  using: { column_mapping: { [own]: other }, remote_table },
});

const NATIVES: Readonly<Record<NativeName, Native>> = {
  crews: {
    table: 'team',
    model: 'crew',
    fields: { ...SHARED, name: 'text' },
    inside: { members: 'entries' },
    object_relationships: [],
    array_relationships: [related('items', 'item', 'id', 'team_id')],
  },
  entries: {
    table: 'item',
    model: 'entry',
    fields: { ...SHARED, team_id: 'int', title: 'text', amount: 'numeric', body: 'jsonb', day: 'date' },
    inside: { remarks: 'remarks' },
    object_relationships: [related('team', 'team', 'team_id', 'id')],
    array_relationships: [related('notes', 'note', 'id', 'item_id')],
  },
  remarks: {
    table: 'note',
    model: 'remark',
    fields: { ...SHARED, item_id: 'int', title: 'text' },
    inside: {},
    object_relationships: [related('item', 'item', 'item_id', 'id')],
    array_relationships: [],
  },
};

/** Those whose rules ask for nothing that a model does not have. */
export function offeredNatives(rules: Rules): NativeName[] {
  return (Object.keys(NATIVES) as NativeName[]).filter((name) => {
    const { filter, isWithoutRoots } = rules[NATIVES[name].table];
    return !isWithoutRoots && !/"(loud|number|own_items)":/.test(JSON.stringify(filter));
  });
}

/** Part of a source's metadata, and relationships of teams and notes. */
export function nativesOf(rules: Rules, shown: Shown) {
  const offered = offeredNatives(rules);
  const has = (name: NativeName) => offered.includes(name);
  const manual = (name: string, more: JsonObject) => ({ name, using: { manual_configuration: more } });
  return {
    logical_models: offered.map((name) => modelOf(name, rules, shown, has)),
    native_queries: [
      ...offered.map((name) => {
        const { table, model, object_relationships, array_relationships } = NATIVES[name];
        return {
          root_field_name: name,
          arguments: { least: { type: 'int', nullable: true } },
          code: `select ${columnsOf(name, has)} from ${table} where {{least}} is null or id >= {{least}}`,
          returns: model,
          object_relationships,
          array_relationships,
        };
      }),
      ...(has('entries') ? furtherQueries(columnsOf('entries', has)) : []),
    ],
    ofTeams: has('entries')
      ? [
          manual('entries', { remote_native_query: 'entries', column_mapping: { id: 'team_id' } }),
          manual('given_entries', {
            remote_native_query: 'entries_of_team',
            column_mapping: {},
            argument_mapping: { team: 'id' },
          }),
        ]
      : [],
    ofNotes: has('entries')
      ? [
          manual('entry', {
            remote_native_query: 'entries_by_id',
            column_mapping: { item_id: 'id' },
            argument_mapping: { id: 'item_id' },
          }),
        ]
      : [],
  };
}

function furtherQueries(columns: string): JsonObject[] {
  const returns = 'entry';
  const optional = { type: 'int', nullable: true };
  return [
    {
      root_field_name: 'entries_of_team',
      arguments: { team: { type: 'int' }, least: optional },
      code: `select ${columns} from item where team_id = {{team}} and ({{least}} is null or id >= {{least}})`,
      returns,
    },
    {
      root_field_name: 'entries_by_id',
      arguments: { id: optional },
      code: `select ${columns} from item where id = {{id}}`,
      returns,
    },
    {
      root_field_name: 'touch',
      type: 'mutation',
      arguments: { least: { type: 'int' } },
      // Of every row: which rows a client learns of is up to the model.
      code: `update item set title = 'mine' where id >= {{least}} returning ${columns}`,
      returns,
      permissions: [{ role: 'one' }],
    },
  ];
}

/** With the rows inside: as composite values where those have none themselves, otherwise as JSON. */
function columnsOf(name: NativeName, has: (name: NativeName) => boolean): string {
  const { table, fields, inside } = NATIVES[name];
  const nested = Object.entries(inside).flatMap(([field, of]) => {
    if (!has(of)) return [];
    const inner = NATIVES[of];
    const rows = `select ${columnsOf(of, has)} from ${inner.table} where ${table}_id = ${table}.id`;
    return Object.keys(inner.inside).length === 0
      ? [
          `(select array_agg(i order by i.id) from ${inner.table} i where i.${table}_id = ${table}.id) as ${field}`,
        ]
      : [`(select jsonb_agg(i order by i.id) from (${rows}) i) as ${field}`];
  });
  return [...Object.keys(fields).map((field) => `${table}.${field}`), ...nested].join(', ');
}

function modelOf(
  name: NativeName,
  rules: Rules,
  shown: Shown,
  has: (name: NativeName) => boolean,
): JsonObject {
  const { table, model, fields, inside } = NATIVES[name];
  const nested = Object.entries(inside).filter(([, of]) => has(of));
  const columns = [...Object.keys(fields), ...nested.map(([field]) => field)];
  const { filter } = rules[table];
  const permission = { columns, filter, allow_aggregations: true };
  return {
    name: model,
    fields: [
      ...Object.entries(fields).map(([field, scalar]) => ({
        name: field,
        type: { scalar, nullable: field !== 'id' },
      })),
      ...nested.map(([field, of]) => ({
        name: field,
        type: { array: { logical_model: NATIVES[of].model, nullable: true }, nullable: true },
      })),
    ],
    select_permissions: [
      { role: 'one', permission },
      {
        role: 'two',
        permission: {
          ...permission,
          columns: columns.filter((column) => shown[table].includes(column)),
          filter: { open: { _eq: true } },
        },
      },
    ],
  };
}
