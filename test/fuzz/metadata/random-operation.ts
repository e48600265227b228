/**
 * Random operations of the metadata API: mostly about things that are there, some about things that are not, some badly
 * shaped. What they name is drawn from the metadata and catalogs of the moment.
 */
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import type { Json, JsonObject, Source, TableEntry } from '../../../runtime/metadata/metadata.ts';
import type { MetadataState } from '../../../runtime/metadata-api/index.ts';
import type { Random } from '../random.ts';
import { FUNCTIONS, TABLE_NAMES, TABLES } from './database.ts';
import { randomCollection } from './random-collection.ts';
import { randomDocument } from './random-document.ts';
import { randomSql } from './random-sql.ts';
import { randomStored } from './random-stored.ts';

export interface RandomRequest {
  readonly endpoint: '/v1/metadata' | '/v2/query' | '/v1/query';
  readonly body: JsonObject & { readonly type: string };
  /** Whether the metadata database is to fail when it is asked to store the change. */
  readonly storeFails?: boolean;
}

/** What a draw looks at. */
export interface Drawing {
  readonly random: Random;
  readonly state: MetadataState;
  /** Address of source `other`. */
  readonly otherUrl: string;
}

const ROLES = ['user', 'editor', 'visitor', 'both'];
const ROLE_MODES = ['select', 'insert', 'update', 'delete'];
const NAMES = [
  ...['author', 'articles', 'editor', 'tags', 'label', 'a b', 'id', 'boss', 'reports'],
  // Names that something in a schema has, or nothing may have.
  ...['articles_aggregate', 'true', '__x', '_and'],
];

/** The next request. */
export function randomRequest(drawing: Drawing): RandomRequest {
  const { random, state } = drawing;
  const tracked = state.metadata.sources.reduce((sum, { tables }) => sum + tables.length, 0);
  // Little can be said about a project of few tables.
  if (tracked < 5 && random.chance(0.6)) return { endpoint: '/v1/metadata', body: trackTable(drawing) };
  if (random.chance(0.06)) return { endpoint: '/v1/metadata', body: bulk(drawing) };
  if (random.chance(0.12))
    return { endpoint: '/v2/query', body: { type: 'run_sql', args: randomSql(drawing) } };
  if (random.chance(0.03)) return { endpoint: '/v1/query', body: unfollowedSql(drawing) };
  const body = random.pick(GENERATORS)(drawing);
  return { endpoint: '/v1/metadata', body: random.chance(0.03) ? spoil(random, body) : body };
}

type Body = RandomRequest['body'];

function bulk(drawing: Drawing): Body {
  const { random } = drawing;
  const type = random.pick(['bulk', 'bulk', 'bulk_keep_going', 'bulk_atomic']);
  const generators = type === 'bulk_atomic' && random.chance(0.8) ? RELATIONSHIPS : GENERATORS;
  return { type, args: random.list(random.between(1, 5), () => random.pick(generators)(drawing)) };
}

/** A database that changed behind the metadata's back, and is read again. */
function unfollowedSql(drawing: Drawing): Body {
  const sql = { type: 'run_sql', args: { ...randomSql(drawing), check_metadata_consistency: false } };
  return { type: 'bulk', args: [sql, { type: 'reload_metadata', args: {} }] };
}

/** Takes an argument away, or makes it of a wrong type. */
function spoil(random: Random, body: Body): Body {
  const args = body.args as JsonObject;
  const keys = Object.keys(args);
  if (keys.length === 0) return { type: body.type };
  const chosen = random.pick(keys);
  const value = random.pick<Json | undefined>([undefined, 7, null, [], { unknown: true }, '']);
  const { [chosen]: _, ...rest } = args;
  return { type: body.type, args: value === undefined ? rest : { ...rest, [chosen]: value } };
}

function drawSource({ random }: Drawing): string {
  return random.chance(0.8) ? 'default' : random.chance(0.85) ? 'other' : 'nowhere';
}

/** A source that is declared. */
function declared(drawing: Drawing): Source {
  const { sources } = drawing.state.metadata;
  return sources.find(({ name }) => name === drawSource(drawing)) ?? drawing.random.pick(sources);
}

interface Place {
  readonly source: string;
  readonly table: Json;
  readonly entry: TableEntry | undefined;
  readonly columns: readonly string[];
}

/** Mostly a tracked table. */
function place(drawing: Drawing): Place {
  const { random, state } = drawing;
  if (state.metadata.sources.length > 0 && random.chance(0.93)) {
    const source = declared(drawing);
    if (source.tables.length > 0) {
      const entry = random.pick(source.tables);
      return {
        source: source.name,
        table: { ...entry.table },
        entry,
        columns: columnsOf(drawing, source.name, entry),
      };
    }
  }
  const source = drawSource(drawing);
  return {
    source,
    table: random.pick(TABLES[source] ?? ['author']),
    entry: undefined,
    columns: ['id', 'name'],
  };
}

function columnsOf({ state }: Drawing, source: string, { table }: TableEntry): readonly string[] {
  const catalog = state.catalogs[source] as SourceCatalog | undefined;
  const found = catalog?.tables?.find(({ schema, name }) => schema === table.schema && name === table.name);
  return found?.columns.map(({ name }) => name) ?? [];
}

function column({ random }: Drawing, columns: readonly string[]): string {
  return columns.length > 0 && random.chance(0.96) ? random.pick(columns) : 'no_column';
}

function fieldNames({ entry }: Place): readonly string[] {
  return [...(entry?.object_relationships ?? []), ...(entry?.array_relationships ?? [])].map(
    ({ name }) => name,
  );
}

/** A boolean expression over columns, relationships, computed fields and other tables. */
function condition(drawing: Drawing, at: Place, depth = 2): JsonObject {
  const { random } = drawing;
  const relationships = fieldNames(at);
  const computed = (at.entry?.computed_fields ?? []).map(({ name }) => name);
  const kind = random.below(10);
  if (depth > 0 && kind === 0)
    return { _and: [condition(drawing, at, depth - 1), condition(drawing, at, depth - 1)] };
  if (depth > 0 && kind === 1) return { _not: condition(drawing, at, depth - 1) };
  if (kind === 2 && relationships.length > 0) return { [random.pick(relationships)]: related(drawing) };
  if (kind === 3 && computed.length > 0) return { [random.pick(computed)]: { _is_null: false } };
  if (kind === 4) {
    const other = place({ ...drawing });
    return {
      _exists: { _table: other.table, _where: depth > 0 ? condition(drawing, other, depth - 1) : {} },
    };
  }
  if (kind === 5) return { [column(drawing, at.columns)]: { _ceq: column(drawing, at.columns) } };
  if (kind === 6) return { [column(drawing, at.columns)]: 'X-Engine-User-Id' };
  if (kind === 7) return {};
  return {
    [column(drawing, at.columns)]: random.pick<JsonObject>([
      { _is_null: true },
      { _eq: 'x-engine-id' },
      { _gt: 1 },
    ]),
  };
}

/** What is said about the other end, whose table the draw does not look up. */
function related({ random }: Drawing): JsonObject {
  return random.pick<JsonObject>([
    {},
    { id: { _eq: 'x-engine-id' } },
    { name: { _is_null: false } },
    { author: { id: 1 } },
  ]);
}

function columnList(drawing: Drawing, { columns }: Place): Json {
  const { random } = drawing;
  if (random.chance(0.3)) return '*';
  const some = random.some(columns, 0.6);
  return random.chance(0.05) ? [...some, 'no_column'] : some;
}

function createPermission(drawing: Drawing): Body {
  const { random } = drawing;
  const at = place(drawing);
  const kind = random.pick(['select', 'select', 'insert', 'update', 'delete']);
  const filter = condition(drawing, at);
  const columns = columnList(drawing, at);
  const computed = random.some(
    (at.entry?.computed_fields ?? []).map(({ name }) => name),
    0.3,
  );
  const permission: JsonObject = {
    ...(kind !== 'delete' && { columns }),
    ...(kind === 'insert' ? { check: filter } : { filter }),
    ...(kind === 'select' &&
      random.chance(0.3) && { allow_aggregations: true, limit: random.between(-1, 9) }),
    ...(kind === 'select' && computed.length > 0 && { computed_fields: computed }),
    ...(kind === 'update' && random.chance(0.4) && { check: condition(drawing, at) }),
    ...((kind === 'insert' || kind === 'update') &&
      random.chance(0.3) && { set: { [column(drawing, at.columns)]: 'x-engine-user-id' } }),
  };
  const args = { source: at.source, table: at.table, role: random.pick([...ROLES, 'admin']), permission };
  return { type: `pg_create_${kind}_permission`, args };
}

function dropPermission(drawing: Drawing): Body {
  const { random } = drawing;
  const { source, table, entry } = placeWith(drawing, (found) => found.select_permissions.length > 0);
  const kind = random.pick(ROLE_MODES) as 'select';
  const known = (entry?.[`${kind}_permissions`] ?? []).map(({ role }) => role);
  const role = random.pick(known.length > 0 ? known : ROLES);
  return { type: `pg_drop_${kind}_permission`, args: { source, table, role } };
}

function createRelationship(drawing: Drawing): Body {
  const { random } = drawing;
  const at = place(drawing);
  const other = place(drawing);
  const [name, kind] = [random.pick(NAMES), random.pick(['object', 'array'])];
  const foreign: Record<string, string[]> = {
    article: ['author_id', 'editor_id'],
    author: ['boss_id', 'mood'],
    city: ['country_id'],
    article_tag: ['article_id', 'tag_id'],
  };
  const tableName = typeof at.table === 'string' ? at.table : String((at.table as JsonObject).name);
  const near = foreign[tableName] ?? ['id'];
  const far = random.pick(Object.keys(foreign));
  const using: JsonObject = random.chance(0.3)
    ? {
        manual_configuration: {
          remote_table: other.table,
          column_mapping: { [column(drawing, at.columns)]: column(drawing, other.columns) },
        },
      }
    : {
        foreign_key_constraint_on:
          kind === 'object' ? random.pick(near) : { table: far, column: random.pick(foreign[far]!) },
      };
  return {
    type: `pg_create_${kind}_relationship`,
    args: { source: at.source, table: at.table, name, using },
  };
}

/** Preferably a table with something to change. */
function placeWith(drawing: Drawing, has: (entry: TableEntry) => boolean): Place {
  const draws = drawing.random.list(4, () => place(drawing));
  return draws.find(({ entry }) => entry !== undefined && has(entry)) ?? draws[0]!;
}

function changeRelationship(drawing: Drawing): Body {
  const { random } = drawing;
  const at = placeWith(
    drawing,
    (entry) => entry.object_relationships.length + entry.array_relationships.length > 0,
  );
  const names = fieldNames(at);
  const name = names.length > 0 && random.chance(0.95) ? random.pick(names) : random.pick(NAMES);
  const here = { source: at.source, table: at.table };
  return random.pick<Body>([
    { type: 'pg_drop_relationship', args: { ...here, relationship: name } },
    { type: 'pg_drop_relationship', args: { ...here, relationship: name, cascade: true } },
    { type: 'pg_rename_relationship', args: { ...here, name, new_name: random.pick(NAMES) } },
    { type: 'pg_set_relationship_comment', args: { ...here, relationship: name, comment: 'said' } },
  ]);
}

function computedField(drawing: Drawing): Body {
  const { random } = drawing;
  const at = placeWith(drawing, (entry) => entry.computed_fields.length > 0 || entry.table.name === 'author');
  const here = { source: at.source, table: at.table };
  const known = (at.entry?.computed_fields ?? []).map(({ name }) => name);
  if (known.length > 0 && random.chance(0.5)) {
    return {
      type: 'pg_drop_computed_field',
      args: { ...here, name: random.pick(known), cascade: random.chance(0.4) },
    };
  }
  const definition = { function: random.pick(FUNCTIONS) };
  return { type: 'pg_add_computed_field', args: { ...here, name: random.pick(NAMES), definition } };
}

function remoteRelationship(drawing: Drawing): Body {
  const { random } = drawing;
  const [at, other] = [place(drawing), place(drawing)];
  const known = (at.entry?.remote_relationships ?? []).map(({ name }) => name);
  const here = { source: at.source, table: at.table };
  if (known.length > 0 && random.chance(0.4)) {
    return { type: 'pg_delete_remote_relationship', args: { ...here, name: random.pick(known) } };
  }
  const definition = {
    to_source: {
      relationship_type: 'object',
      source: other.source,
      table: other.table,
      field_mapping: { [column(drawing, at.columns)]: column(drawing, other.columns) },
    },
  };
  return { type: 'pg_create_remote_relationship', args: { ...here, name: random.pick(NAMES), definition } };
}

function trackTable(drawing: Drawing): Body {
  const { random } = drawing;
  const source = drawSource(drawing);
  const table = random.chance(0.85) ? untracked(drawing, source) : random.pick(TABLES[source] ?? ['author']);
  const configuration = random.chance(0.2)
    ? { configuration: customization(drawing, ['id', 'name', 'title']) }
    : {};
  return { type: 'pg_track_table', args: { source, table, ...configuration } };
}

/** A table that could be tracked next, by what the database holds now. */
function untracked({ random, state }: Drawing, source: string): string {
  const tracked = state.metadata.sources.find(({ name }) => name === source)?.tables ?? [];
  const catalog = state.catalogs[source] as SourceCatalog | undefined;
  const free = (catalog?.tables ?? []).filter(
    ({ schema, name }) => schema === 'public' && !tracked.some((entry) => entry.table.name === name),
  );
  return free.length > 0 ? random.pick(free).name : 'nothing';
}

/** Others may point at it: the answer names them all. */
function untrackTable(drawing: Drawing): Body {
  const { source, table } = place(drawing);
  return { type: 'pg_untrack_table', args: { source, table } };
}

function customization(drawing: Drawing, columns: readonly string[]): JsonObject {
  const { random } = drawing;
  return {
    ...(random.chance(0.5) && { custom_name: random.pick(TABLE_NAMES) }),
    ...(random.chance(0.4) && {
      custom_root_fields: {
        select: random.pick(['people', 'author', 'tag_by_pk', 'tag_stream', '_service', '__x']),
      },
    }),
    ...(random.chance(0.4) && {
      column_config: { [column(drawing, columns)]: { custom_name: random.pick(NAMES) } },
    }),
  };
}

function changeTable(drawing: Drawing): Body {
  const { random } = drawing;
  const at = place(drawing);
  const here = { source: at.source, table: at.table };
  return random.pick<() => Body>([
    () => ({ type: 'pg_untrack_table', args: here }),
    () => ({ type: 'pg_untrack_table', args: { ...here, cascade: true } }),
    () => ({
      type: 'pg_set_table_customization',
      args: { ...here, configuration: customization(drawing, at.columns) },
    }),
    () => ({ type: 'pg_set_table_is_enum', args: { ...here, is_enum: random.chance(0.6) } }),
    () => ({
      type: 'pg_create_event_trigger',
      args: {
        ...here,
        name: random.pick(['changed', 'made']),
        webhook: 'http://hook',
        update: { columns: [column(drawing, at.columns)] },
      },
    }),
    () => ({
      type: 'pg_delete_event_trigger',
      args: { source: at.source, name: random.pick(['changed', 'made']) },
    }),
  ])();
}

function functions(drawing: Drawing): Body {
  const { random } = drawing;
  const tracked = drawing.state.metadata.sources.find(({ name }) => name === 'default')?.functions ?? [];
  const known = tracked.map((entry) => entry.function.name);
  const name = random.pick(known.length > 0 && random.chance(0.6) ? known : FUNCTIONS);
  const [source, role] = ['default', random.pick(ROLES)];
  return random.pick<Body>([
    { type: 'pg_track_function', args: { source, function: name } },
    {
      type: 'pg_track_function',
      args: { source, function: name, configuration: { exposed_as: 'mutation' } },
    },
    { type: 'pg_untrack_function', args: { source, function: name } },
    { type: 'pg_create_function_permission', args: { source, function: name, role } },
    { type: 'pg_drop_function_permission', args: { source, function: name, role } },
  ]);
}

function sources(drawing: Drawing): Body {
  const { random, otherUrl } = drawing;
  const configuration = {
    connection_info: { database_url: random.chance(0.9) ? otherUrl : { from_env: 'NOT_SET' } },
  };
  return random.pick<Body>([
    {
      type: 'pg_add_source',
      args: {
        name: 'other',
        configuration,
        customization: random.pick<JsonObject>([
          { root_fields: { prefix: 'o_' }, type_names: { prefix: 'O' } },
          { root_fields: { prefix: 'o_' }, type_names: { prefix: 'O' } },
          { root_fields: { namespace: random.pick(['o', 'author', '__o']) }, type_names: { suffix: '_o' } },
          { root_fields: { prefix: '__' } },
        ]),
      },
    },
    { type: 'pg_add_source', args: { name: 'other', configuration, replace_configuration: true } },
    { type: 'pg_drop_source', args: { name: 'other' } },
    { type: 'pg_drop_source', args: { name: 'other', cascade: true } },
    { type: 'rename_source', args: { name: 'other', new_name: random.pick(['another', 'default']) } },
    { type: 'rename_source', args: { name: 'another', new_name: 'other' } },
  ]);
}

function whole(drawing: Drawing): Body {
  const { random } = drawing;
  return random.pick<Body>([
    { type: 'reload_metadata', args: { reload_sources: random.chance(0.5) } },
    { type: 'get_inconsistent_metadata', args: {} },
    { type: 'drop_inconsistent_metadata', args: {} },
    { type: 'export_metadata', version: 2, args: {} },
    {
      type: 'pg_track_tables',
      args: { tables: random.list(2, () => trackTable(drawing).args!), allow_warnings: random.chance(0.8) },
    },
  ]);
}

function roles({ random }: Drawing): Body {
  return random.pick<Body>([
    { type: 'add_inherited_role', args: { role_name: 'both', role_set: random.some(ROLES, 0.5) } },
    { type: 'drop_inherited_role', args: { role_name: 'both' } },
  ]);
}

const RELATIONSHIPS = [createRelationship, changeRelationship, remoteRelationship];

/** Repeated = more often. */
const GENERATORS: readonly ((drawing: Drawing) => Body)[] = [
  createPermission,
  createPermission,
  createPermission,
  createPermission,
  dropPermission,
  createRelationship,
  createRelationship,
  createRelationship,
  changeRelationship,
  computedField,
  computedField,
  remoteRelationship,
  trackTable,
  trackTable,
  trackTable,
  changeTable,
  functions,
  functions,
  sources,
  whole,
  roles,
  ({ random }) => randomStored(random),
  ({ random }) => randomStored(random),
  ({ random }) => randomCollection(random),
  ({ random }) => randomCollection(random),
  randomDocument,
  randomDocument,
  untrackTable,
];
