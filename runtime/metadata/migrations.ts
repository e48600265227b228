/**
 * The catalog of the metadata database: schema `engine_catalog`, built by numbered steps that each ran once. A new
 * version of Engine appends steps and never changes one that was released.
 */
import type pg from 'pg';

/** Held while migrating, so that two instances starting at once do not both run a step. An arbitrary constant. */
const MIGRATION_LOCK = 7_264_019;

const steps: readonly string[] = [
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
];

/** Brings `engine_catalog` to the present version; fails if a newer Engine has been here. */
export async function migrate(client: pg.ClientBase): Promise<void> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('create schema if not exists engine_catalog');
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
    for (const [index, sql] of steps.entries()) {
      if (index < done) continue;
      await client.query(sql);
      await client.query('insert into engine_catalog.migrations (step) values ($1)', [index + 1]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
