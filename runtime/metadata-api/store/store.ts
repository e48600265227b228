/**
 * Where the metadata is kept: `engine_catalog` in the metadata database. Each source and each table has a row of its own,
 * so that a change writes no more than it changes; `engine_catalog.metadata` shows them as one document with its
 * `resource_version`, which is checked and incremented in the transaction that stores a change: of two racing writers one
 * fails.
 */

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { type ChannelListener, listenTo } from '../../database/channel.ts';
import { openPool, withClient } from '../../database/own-tables.ts';
import type { QueueQuery } from '../../database/queue/lease.ts';
import type { JsonObject } from '../../metadata/metadata.ts';
import { migrate } from './migrations.ts';
import type { StoredChange } from './stored-change.ts';

interface StoredMetadata {
  /** Absent before the first write. */
  readonly metadata?: JsonObject;
  /** 0 before the first write, then the number of committed modifying requests. */
  readonly resourceVersion: number;
}

/** Which cached things other instances have to read again because of a change. */
export interface Invalidations {
  readonly metadata: boolean;
  readonly sources: readonly string[];
  readonly remote_schemas: readonly string[];
}

export type CatalogStateKind = 'cli' | 'console';

export interface MetadataStore {
  readonly instanceId: string;
  read(): Promise<StoredMetadata>;
  /** The version alone: cheap, for polling. */
  readVersion(): Promise<number>;
  /**
   * Stores a change of version `expected` as the version after it and notifies the other instances.
   * Throws `conflict` if another writer was faster.
   */
  commit(change: StoredChange, expected: number, invalidations: Invalidations): Promise<number>;
  /** The last writer's notification, for another instance. */
  readNotification(): Promise<
    { instanceId: string; resourceVersion: number; invalidations: Invalidations } | undefined
  >;
  /** Calls back when another connection stored something, until the store is closed. Polling covers what it misses. */
  watch(changed: () => void): void;
  /** SDL of remote schemas as it was read last, by name. */
  readRemotes(): Promise<ReadonlyMap<string, string>>;
  writeRemotes(remotes: readonly { readonly name: string; readonly sdl: string }[]): Promise<void>;
  /** A statement on the tables of cron and one-off events. */
  readonly query: QueueQuery;
  /** Gives `use` a connection of its own, which it leaves as it was. */
  withClient<Value>(use: (client: pg.ClientBase) => Promise<Value>): Promise<Value>;
  readCatalogState(): Promise<{ id: string; cli_state: JsonObject; console_state: JsonObject }>;
  writeCatalogState(kind: CatalogStateKind, state: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** Name of the connections in `pg_stat_activity`. */
const NAME = 'engine metadata';

/** Name of the channel on which a commit announces its version (LISTEN / NOTIFY). */
const METADATA_CHANNEL = 'engine_metadata';

/** The answer to a request that refers to another version than the current one. */
export function versionConflict(referenced: number): EngineError {
  return new EngineError(
    'conflict',
    `metadata resource version referenced (${referenced}) did not match current version`,
  );
}

// One statement is one transaction, and one trip. On an empty table the insert decides a race; afterwards the row lock of
// the update does: the second writer waits, and then finds another version than it expected, and nothing to join with.
const commitStatement = (stored: string) => `
  with stored as (${stored} returning resource_version),
  told as (
    insert into engine_catalog.schema_notifications (id, notification, resource_version, instance_id)
    select 1, $3::json, resource_version, $4::uuid from stored
    on conflict (id) do update set notification = excluded.notification, instance_id = excluded.instance_id,
      resource_version = excluded.resource_version, updated_at = now()
  ),
  removed_sources as (
    delete from engine_catalog.metadata_sources using stored where name = any ($6::text[])
  ),
  written_sources as (
    insert into engine_catalog.metadata_sources (name, definition)
    select name, definition::json from stored, unnest($7::text[], $8::text[]) as written (name, definition)
    on conflict (name) do update set definition = excluded.definition
  ),
  removed_tables as (
    delete from engine_catalog.metadata_tables
    using stored, unnest($9::text[], $10::text[], $11::text[]) as removed (source, schema, name)
    where (metadata_tables.source, metadata_tables.schema, metadata_tables.name)
      = (removed.source, removed.schema, removed.name)
  ),
  written_tables as (
    insert into engine_catalog.metadata_tables (source, schema, name, definition)
    select source, schema, name, definition::json
    from stored, unnest($12::text[], $13::text[], $14::text[], $15::text[]) as written (source, schema, name, definition)
    on conflict (source, schema, name) do update set definition = excluded.definition
  )
  select resource_version, pg_notify($5, resource_version::text) from stored`;

const INSERT = commitStatement(`
  insert into engine_catalog.metadata_head (id, definition, resource_version) values (1, $1, $2::int + 1)
  on conflict (id) do nothing`);

const UPDATE = commitStatement(`
  update engine_catalog.metadata_head set definition = $1, resource_version = resource_version + 1
  where resource_version = $2::int`);

/** Connects to the metadata database, encrypted by the rules of sources, and brings its catalog up to date. */
export async function openMetadataStore(url: string, vocabulary: Vocabulary): Promise<MetadataStore> {
  const configuration = { connectionString: url };
  const pool = await openPool(configuration, NAME, (client) => migrate(client, vocabulary));
  const instanceId = randomUUID();
  let watcher: ChannelListener | undefined;

  return {
    instanceId,
    read: async () => {
      const { rows } = await pool.query<{ metadata: string; resource_version: number }>(
        'select metadata::text, resource_version from engine_catalog.metadata',
      );
      const row = rows[0];
      if (row === undefined) return { resourceVersion: 0 };
      return { metadata: parseExactJson(row.metadata) as JsonObject, resourceVersion: row.resource_version };
    },
    readVersion: async () => readVersion(pool),
    commit: async ({ head, sources, tables }, expected, invalidations) => {
      const { rows } = await pool.query<{ resource_version: number }>(expected === 0 ? INSERT : UPDATE, [
        head,
        expected,
        JSON.stringify(invalidations),
        instanceId,
        METADATA_CHANNEL,
        column(sources.removed, 'name'),
        column(sources.written, 'name'),
        column(sources.written, 'definition'),
        column(tables.removed, 'source'),
        column(tables.removed, 'schema'),
        column(tables.removed, 'name'),
        column(tables.written, 'source'),
        column(tables.written, 'schema'),
        column(tables.written, 'name'),
        column(tables.written, 'definition'),
      ]);
      if (rows[0] === undefined) throw versionConflict(expected);
      return rows[0].resource_version;
    },
    readNotification: async () => {
      const { rows } = await pool.query<{
        notification: Invalidations;
        resource_version: number;
        instance_id: string;
      }>('select notification, resource_version, instance_id from engine_catalog.schema_notifications');
      const row = rows[0];
      return (
        row && {
          instanceId: row.instance_id,
          resourceVersion: row.resource_version,
          invalidations: row.notification,
        }
      );
    },
    query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    withClient: (use) => withClient(pool, use),
    readCatalogState: async () => {
      const { rows } = await pool.query<{ id: string; cli_state: string; console_state: string }>(
        'select engine_uuid as id, cli_state::text, console_state::text from engine_catalog.version',
      );
      const { id, cli_state, console_state } = rows[0]!;
      const [cli, console] = [cli_state, console_state].map((text) => parseExactJson(text) as JsonObject);
      return { id, cli_state: cli!, console_state: console! };
    },
    readRemotes: async () => {
      const { rows } = await pool.query<{ name: string; sdl: string }>(
        'select name, sdl from engine_catalog.remote_schemas',
      );
      return new Map(rows.map(({ name, sdl }) => [name, sdl]));
    },
    writeRemotes: async (remotes) => {
      await pool.query(
        'insert into engine_catalog.remote_schemas (name, sdl) select * from unnest($1::text[], $2::text[]) on conflict (name) do update set sdl = excluded.sdl, read_at = now()',
        [column(remotes, 'name'), column(remotes, 'sdl')],
      );
    },
    writeCatalogState: async (kind, state) => {
      await pool.query(`update engine_catalog.version set ${kind}_state = $1`, [jsonText(state)]);
    },
    watch: (changed) => {
      watcher ??= listenTo(METADATA_CHANNEL, configuration, 'engine metadata watch', changed);
    },
    close: async () => {
      await watcher?.stop();
      await pool.end();
    },
  };
}

function column<Key extends string>(
  rows: readonly { readonly [K in Key]: string }[],
  key: Key,
): readonly string[] {
  return rows.map((row) => row[key]);
}

async function readVersion(queryable: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await queryable.query<{ resource_version: number }>(
    'select resource_version from engine_catalog.metadata',
  );
  return rows[0]?.resource_version ?? 0;
}
