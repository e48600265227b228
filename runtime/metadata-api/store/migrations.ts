/**
 * The catalog of the metadata database: schema `engine_catalog`, built by numbered steps that each ran once. A new
 * version of Engine appends steps and never changes one that was released.
 */

import type pg from 'pg';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { QualifiedName } from '../../core/names.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { createOwnTables, OWN_SCHEMA } from '../../database/own-objects.ts';
import { inTransaction } from '../../database/query-client.ts';
import { SCHEDULED_TABLES } from '../../events/scheduled-schema.ts';

/** Held while migrating, so that two instances starting at once do not both run a step. An arbitrary constant. */
const MIGRATION_LOCK = 7_264_019;

/** SQL, or what SQL cannot do. */
type Step = string | ((client: pg.ClientBase) => Promise<void>);

const steps: readonly Step[] = [
  `
  create table engine_catalog.version (
    engine_uuid uuid primary key default gen_random_uuid(),
    cli_state jsonb not null default '{}',
    console_state jsonb not null default '{}'
  );
  create unique index version_one_row on engine_catalog.version ((true));
  insert into engine_catalog.version default values;

  create table engine_catalog.metadata (
    id integer primary key check (id = 1),
    metadata json not null,
    resource_version integer not null unique
  );

  create table engine_catalog.schema_notifications (
    id integer primary key check (id = 1),
    notification json not null,
    resource_version integer not null,
    instance_id uuid not null,
    updated_at timestamptz not null default now()
  );
  `,
  giveSourcesAndTablesRows,
  `
  create table engine_catalog.remote_schemas (
    name text primary key,
    sdl text not null,
    read_at timestamptz not null default now()
  );
  `,
  SCHEDULED_TABLES,
  `alter table engine_catalog.version add column vocabulary text not null default 'engine'`,
];

/** Not in SQL, whose functions refuse JSON that its type accepts: a string with U+0000. */
async function giveSourcesAndTablesRows(client: pg.ClientBase): Promise<void> {
  await client.query(`
    alter table engine_catalog.metadata rename to metadata_head;
    alter table engine_catalog.metadata_head rename metadata to definition;

    create table engine_catalog.metadata_sources (
      name text primary key,
      definition json not null
    );

    create table engine_catalog.metadata_tables (
      source text,
      schema text,
      name text,
      definition json not null,
      primary key (source, schema, name)
    );

    create view engine_catalog.metadata as
    select
      id,
      (left(definition::text, -1) || ',"sources":[' || coalesce((
        select string_agg(
          left(definition::text, -1) || ',"tables":[' || coalesce((
            select string_agg(definition::text, ',' order by schema collate "C", name collate "C")
            from engine_catalog.metadata_tables
            where source = metadata_sources.name
          ), '') || ']}',
          ',' order by name <> 'default', name collate "C"
        )
        from engine_catalog.metadata_sources
      ), '') || ']}')::json as metadata,
      resource_version
    from engine_catalog.metadata_head;
  `);
  const { rows } = await client.query<{ definition: string }>(
    'select definition::text from engine_catalog.metadata_head',
  );
  for (const { definition } of rows) {
    const { sources, ...head } = parseExactJson(definition) as { readonly sources: readonly StoredSource[] };
    await client.query('update engine_catalog.metadata_head set definition = $1', [jsonText(head)]);
    for (const { tables, ...source } of sources) {
      await client.query('insert into engine_catalog.metadata_sources values ($1, $2)', [
        source.name,
        jsonText(source),
      ]);
      for (const table of tables) {
        const { schema, name } = table.table;
        await client.query('insert into engine_catalog.metadata_tables values ($1, $2, $3, $4)', [
          source.name,
          schema,
          name,
          jsonText(table),
        ]);
      }
    }
  }
}

interface StoredSource {
  readonly name: string;
  readonly tables: readonly { readonly table: QualifiedName }[];
}

/** Brings `engine_catalog` to the present version; fails if a newer Engine has been here. */
export function migrate(client: pg.ClientBase, vocabulary: Vocabulary): Promise<void> {
  return inTransaction(client, 'begin', async () => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(OWN_SCHEMA);
    await client.query(
      'create table if not exists engine_catalog.migrations (step integer primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ done: number }>(
      'select coalesce(max(step), 0) as done from engine_catalog.migrations',
    );
    const done = rows[0]!.done;
    if (done > steps.length) {
      throw new Error(
        `The metadata database was migrated by a newer Engine (step ${done}; this one knows ${steps.length}). ` +
          'Start that version, or restore the database from before its first start.',
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < done) continue;
      if (typeof step === 'string') await createOwnTables(client, step);
      else await step(client);
      await client.query('insert into engine_catalog.migrations (step) values ($1)', [index + 1]);
    }
    await requireVocabulary(client, vocabulary);
  });
}

/**
 * Metadata is stored as users write it. In another vocabulary its session variables would be literals, so that is refused;
 * an empty database takes the word of its first server.
 */
async function requireVocabulary(client: pg.ClientBase, { word }: Vocabulary): Promise<void> {
  await client.query(
    `update engine_catalog.version set vocabulary = $1
     where vocabulary <> $1 and not exists (select from engine_catalog.metadata_head)`,
    [word],
  );
  const { rows } = await client.query<{ stored: string }>(
    'select vocabulary as stored from engine_catalog.version',
  );
  const { stored } = rows[0]!;
  if (stored === word) return;
  throw new EngineError(
    'invalid-configuration',
    `its metadata is written in the vocabulary "${stored}", and this server has "${word}". Start with --vocabulary ${stored}, ` +
      'or export the metadata, rewrite it, and import it into an empty metadata database.',
  );
}
