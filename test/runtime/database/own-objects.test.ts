/** A start beside objects of others in the schema engine_catalog says which object, and what to do. */
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer } from '../../harness/server.ts';

const TRIGGER = {
  name: 'made',
  webhook: 'http://127.0.0.1:1',
  definition: { enable_manual: false, insert: { columns: '*' } },
  retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
};

/** What a start says, or a change of metadata that installs an event trigger. */
async function said(sql: string, as?: string, grants = ''): Promise<string> {
  const database = await createTestDatabase(
    `create table thing (id int primary key); create schema engine_catalog; ${sql}`,
  );
  if (grants !== '') await database.query(grants);
  const url = new URL(database.url);
  if (as !== undefined) [url.username, url.password] = [as, 'secret'];
  let server: Awaited<ReturnType<typeof startTestServer>>;
  try {
    server = await startTestServer({ ...database, url: url.href });
  } catch (error) {
    return (error as Error).message;
  }
  try {
    const configuration = { connection_info: { database_url: url.href } };
    const tables = [{ table: 'thing', event_triggers: [TRIGGER] }];
    const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', configuration, tables }] };
    const body = { type: 'replace_metadata', version: 2, args: { metadata } };
    return (await send(server, '/v1/metadata', { body })).text;
  } finally {
    await server.stop();
  }
}

const REMEDY = 'if another program made it, rename it or move it to another schema';
const IN = 'engine_catalog.';

test.each([
  [
    'event_log',
    'a table without its columns',
    `create table ${IN}event_log (id int, name text)`,
    'it has no column',
  ],
  ['event_log', 'a view', `create view ${IN}event_log as select 1 as id`, 'it is a view, not a table'],
  [
    'event_log',
    'a materialized view',
    `create materialized view ${IN}event_log as select 1 as id`,
    'it is a materialized view',
  ],
  ['event_log', 'a sequence', `create sequence ${IN}event_log`, 'it is a sequence'],
  ['event_log', 'a composite type', `create type ${IN}event_log as (id int)`, 'it is a type'],
  ['event_log', 'an enum type', `create type ${IN}event_log as enum ('a')`, 'already exists'],
  ['event_log', 'a domain', `create domain ${IN}event_log as int`, 'already exists'],
  [
    'event_log',
    'an index',
    `create table ${IN}o (id int); create index event_log on ${IN}o (id)`,
    'it is an index',
  ],
  [
    'event_invocation_logs',
    'a table without its columns',
    `create table ${IN}event_invocation_logs (id int)`,
    'it has no column',
  ],
  ['event_log_cleanups', 'a view', `create view ${IN}event_log_cleanups as select 1 as id`, 'it is a view'],
  [
    'paused_event_triggers',
    'a table without its columns',
    `create table ${IN}paused_event_triggers (x int)`,
    'it has no column',
  ],
  [
    'source_catalog_version',
    'a table without its columns',
    `create table ${IN}source_catalog_version (x int)`,
    'version',
  ],
  ['instances', 'a view', `create view ${IN}instances as select 1 as id`, 'it is a view'],
  [
    'cron_events',
    'a table without its columns',
    `create table ${IN}cron_events (id int)`,
    'it has no column',
  ],
  [
    'scheduled_events',
    'a materialized view',
    `create materialized view ${IN}scheduled_events as select 1 as id`,
    'it is a materialized view',
  ],
  [
    'metadata_sources',
    'a table without its columns',
    `create table ${IN}metadata_sources (id int)`,
    'already exists',
  ],
  ['metadata_tables', 'a view', `create view ${IN}metadata_tables as select 1 as id`, 'already exists'],
  ['version', 'a table without its columns', `create table ${IN}version (id int)`, 'already exists'],
  ['migrations', 'a view', `create view ${IN}migrations as select 1 as id`, 'step'],
  ['migrations', 'a table without its columns', `create table ${IN}migrations (x int)`, 'step'],
  [
    'notify_engine_made_INSERT',
    'a function of another type',
    `create function ${IN}"notify_engine_made_INSERT"() returns int language sql as 'select 1'`,
    'cannot change return type',
  ],
])('%s is %s', async (object, _, sql, reason) => {
  const message = await said(sql);
  expect(message).toContain(`${IN}${object} is not what this server keeps there`);
  expect(message).toContain(reason);
  expect(message).toContain(REMEDY);
  expect(message).not.toContain('database query error');
});

test.each([
  [
    'on the database',
    'drop schema engine_catalog',
    'have its owner run "create schema engine_catalog authorization"',
  ],
  ['on the schema', '', 'the owner of the schema engine_catalog'],
  [
    'on a table',
    `grant all on schema engine_catalog to own_limited; create table engine_catalog.migrations (step int primary key, applied_at timestamptz)`,
    'the owner of engine_catalog.migrations',
  ],
])('no rights %s', async (_, grants, remedy) => {
  const role = `do $$ begin create role own_limited login password 'secret'; exception when duplicate_object or unique_violation then null; end $$;`;
  const message = await said('', 'own_limited', `${role} ${grants}`);
  expect(message).toContain('permission denied');
  expect(message).toContain(remedy);
});
