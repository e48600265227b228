/** Triggers and tables that a server keeps in the databases of its sources. */
import { beforeAll, expect, test } from 'vitest';
import { openEventsTest } from '../../harness/events.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const variables: Record<string, string> = {};
let other: TestDatabase;
beforeAll(async () => {
  other = await createTestDatabase('create table thing (id serial primary key)');
  variables.OTHER_DATABASE = other.url;
});
const events = openEventsTest('create table item (id serial primary key, name text)', {}, variables);
const insert = { columns: '*' };

const installed = async (database: { query(sql: string): Promise<object[]> } = events.database) =>
  (
    (await database.query(
      "select concat_ws(' ', tgname, tgenabled) as name from pg_trigger where tgname like 'notify%' order by 1",
    )) as { name: string }[]
  ).map(({ name }) => name);

test('repeated creation, replacement and reload leave one of each', async () => {
  const args = {
    name: 'again',
    table: 'item',
    webhook: events.webhook.url,
    insert,
    update: { columns: '*' },
  };
  await events.metadata('pg_create_event_trigger', args);
  for (let round = 0; round < 3; round += 1) {
    await events.metadata('pg_create_event_trigger', { ...args, replace: true });
    await events.metadata('reload_metadata', {});
  }
  expect(await installed()).toEqual(['notify_engine_again_INSERT O', 'notify_engine_again_UPDATE O']);
  const { update, ...onlyInsert } = args;
  await events.metadata('pg_create_event_trigger', { ...onlyInsert, replace: true });
  expect(await installed()).toEqual(['notify_engine_again_INSERT O']);
  // A reload mends what others changed.
  await events.database.query('alter table item disable trigger "notify_engine_again_INSERT"');
  await events.metadata('reload_metadata', {});
  await events.database.query("insert into item (name) values ('mended')");
  await events.received(1);
  await events.database.query('drop function engine_catalog."notify_engine_again_INSERT"() cascade');
  await events.metadata('reload_metadata', {});
  expect(await installed()).toEqual(['notify_engine_again_INSERT O']);
  await events.metadata('pg_delete_event_trigger', { name: 'again' });
  expect(await installed()).toEqual([]);
  expect(await events.database.query("select from pg_proc where proname like 'notify_engine%'")).toEqual([]);
});

test('a trigger that the database refuses is not stored', async () => {
  await events.database.query('create view people as select * from item');
  await events.metadata('pg_track_table', { table: 'people' });
  const args = { name: 'on_view', table: 'people', webhook: events.webhook.url, insert };
  expect((await events.request('pg_create_event_trigger', args)).json).toMatchObject({
    code: 'invalid-configuration',
  });
  await events.metadata('pg_untrack_table', { table: 'people' });
});

test('changes that replication applies fire only triggers that ask for them', async () => {
  const webhook = (name: string) => ({ insert, webhook: `${events.webhook.url}/${name}` });
  await events.trigger('ordinary', webhook('ordinary'), () =>
    events.trigger('applied', { ...webhook('applied'), trigger_on_replication: true }, async () => {
      expect(await installed()).toEqual([
        'notify_engine_applied_INSERT A',
        'notify_engine_ordinary_INSERT O',
      ]);
      await events.database.query(
        "begin; set local session_replication_role = replica; insert into item (name) values ('a'); commit",
      );
      await events.database.query("insert into item (name) values ('b')");
      await events.received(3);
      const paths = events.webhook.calls.map(({ path }) => path).sort();
      expect(paths).toEqual(['/applied', '/applied', '/ordinary']);
    }),
  );
});

test('sources on one database keep their triggers apart, through renames and removals', async () => {
  const database_url = { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' };
  const second = { name: 'second', configuration: { connection_info: { database_url } } };
  const create = (source: string, name: string, table: string) =>
    events.request('pg_create_event_trigger', { source, name, table, webhook: events.webhook.url, insert });
  await events.database.query('create table other (id serial primary key)');
  await events.metadata('pg_add_source', second);
  await events.metadata('pg_track_table', { source: 'second', table: 'other' });
  await events.trigger('shared', { insert }, async () => {
    // One function cannot serve both.
    expect(await create('second', 'shared', 'other')).toMatchObject({
      status: 400,
      json: {
        path: '$.args',
        code: 'already-exists',
        error: 'Event trigger with name "shared" already exists',
      },
    });
    expect((await create('second', 'own', 'other')).status).toBe(200);
    await events.metadata('rename_source', { name: 'second', new_name: 'renamed' });
    await events.metadata('reload_metadata', { reload_sources: true });
    expect(await installed()).toEqual(['notify_engine_own_INSERT O', 'notify_engine_shared_INSERT O']);
    await events.database.query('insert into other default values');
    await events.received(1);
    await events.metadata('pg_drop_source', { name: 'renamed', cascade: true });
    expect(await installed()).toEqual(['notify_engine_shared_INSERT O']);
    await events.database.query("insert into item (name) values ('still')");
    await events.received(2);
  });
});

test('a source whose role may not use the tables of events on its database is served', async () => {
  await events.trigger('owned', { insert, webhook: events.webhook.url }, async () => {
    await events.database.query(
      "create role reader login password 'x'; create table public.shown (id int primary key); grant select on public.shown to reader",
    );
    const { host, pathname } = new URL(events.database.url);
    const database_url = `postgresql://reader:x@${host}${pathname}`;
    await events.metadata('pg_add_source', {
      name: 'limited',
      configuration: { connection_info: { database_url } },
    });
    await events.metadata('pg_track_table', { source: 'limited', table: 'shown' });
    await events.metadata('reload_metadata', {});
    await events.metadata('pg_drop_source', { name: 'limited', cascade: true });
    expect(await installed()).toEqual(['notify_engine_owned_INSERT O']);
  });
});

test('a source that is dropped loses its triggers and tables; so does every source with the metadata', async () => {
  const setUp = async () => {
    await events.metadata('pg_add_source', {
      name: 'gone',
      configuration: { connection_info: { database_url: { from_env: 'OTHER_DATABASE' } } },
    });
    await events.metadata('pg_track_table', { source: 'gone', table: 'thing' });
    const args = { source: 'gone', name: 'lost', table: 'thing', webhook: events.webhook.url, insert };
    await events.metadata('pg_create_event_trigger', args);
    await other.query('insert into thing default values');
    expect(await installed(other)).toHaveLength(1);
  };
  const remains = () =>
    other.query(
      "select tablename from pg_tables where schemaname = 'engine_catalog' and tablename like '%event%'",
    );
  await setUp();
  await events.metadata('pg_untrack_table', { source: 'gone', table: 'thing', cascade: true });
  expect(await installed(other)).toEqual([]);
  expect(await other.query('select archived from engine_catalog.event_log')).toEqual([{ archived: true }]);
  await events.metadata('pg_drop_source', { name: 'gone', cascade: true });
  expect(await remains()).toEqual([]);
  await setUp();
  const kept = await events.metadata('export_metadata', {});
  await events.metadata('clear_metadata', {});
  expect(await installed(other)).toEqual([]);
  expect(await remains()).toEqual([]);
  // The metadata brings them back.
  await events.metadata('replace_metadata', kept);
  expect(await installed(other)).toEqual(['notify_engine_lost_INSERT O']);
  await other.query('insert into thing default values');
  await events.received(1);
  await events.metadata('pg_drop_source', { name: 'gone', cascade: true });
});

/** What tools read by name, as they know it; further columns and indexes are allowed. */
test('tables of events have the columns, defaults and indexes that tools know', async () => {
  await events.trigger('known', { insert }, async () => {
    const columns = async (table: string) =>
      (
        await events.database.query<{ text: string }>(
          `select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
             case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid)) as text
           from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
           where a.attrelid = $1::regclass and a.attnum > 0 order by a.attnum`,
          [`engine_catalog.${table}`],
        )
      ).map(({ text }) => text);
    expect(await columns('event_log')).toEqual(
      expect.arrayContaining([
        'id text not null engine_catalog.gen_engine_uuid()',
        'schema_name text not null',
        'table_name text not null',
        'trigger_name text not null',
        'payload jsonb not null',
        'delivered boolean not null false',
        'error boolean not null false',
        'tries integer not null 0',
        'created_at timestamp without time zone now()',
        'locked timestamp with time zone',
        'next_retry_at timestamp without time zone',
        'archived boolean not null false',
      ]),
    );
    expect(await columns('event_invocation_logs')).toEqual([
      'id text not null engine_catalog.gen_engine_uuid()',
      'trigger_name text',
      'event_id text',
      'status integer',
      'request json',
      'response json',
      'created_at timestamp without time zone now()',
    ]);
    expect(await columns('event_log_cleanups')).toEqual([
      'id text not null engine_catalog.gen_engine_uuid()',
      'trigger_name text not null',
      'scheduled_at timestamp without time zone not null',
      'deleted_event_logs integer',
      'deleted_event_invocation_logs integer',
      'status text not null',
    ]);
    const event = [
      'scheduled_time timestamp with time zone not null',
      "status text not null 'scheduled'::text",
      'tries integer not null 0',
      'created_at timestamp with time zone not null now()',
      'next_retry_at timestamp with time zone',
    ];
    expect(await columns('cron_events')).toEqual(
      expect.arrayContaining(['id text not null gen_random_uuid()', 'trigger_name text not null', ...event]),
    );
    expect(await columns('scheduled_events')).toEqual(
      expect.arrayContaining([
        'webhook_conf json not null',
        'retry_conf json',
        'payload json',
        'header_conf json',
        'comment text',
        ...event,
      ]),
    );
    const definitions = await events.database.query<{ text: string }>(
      `select pg_get_indexdef(indexrelid) as text from pg_index join pg_class c on c.oid = indrelid
       where relnamespace = 'engine_catalog'::regnamespace
       union all
       select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
       where connamespace = 'engine_catalog'::regnamespace`,
    );
    const texts = definitions.map(({ text }) => text.replace(/^CREATE (UNIQUE )?INDEX \S+ ON /, '$1'));
    const statuses =
      "ARRAY['scheduled'::text, 'locked'::text, 'delivered'::text, 'error'::text, 'dead'::text]";
    const cleanups = "ARRAY['scheduled'::text, 'paused'::text, 'completed'::text, 'dead'::text]";
    for (const expected of [
      'engine_catalog.event_log USING btree (trigger_name)',
      'engine_catalog.event_log USING btree (locked NULLS FIRST, next_retry_at NULLS FIRST, created_at) WHERE ((delivered = false) AND (error = false) AND (archived = false))',
      'engine_catalog.event_invocation_logs USING btree (event_id)',
      "UNIQUE engine_catalog.cron_events USING btree (trigger_name, scheduled_time) WHERE (status = 'scheduled'::text)",
      'engine_catalog.cron_events USING btree (status)',
      'engine_catalog.scheduled_events USING btree (status)',
      `engine_catalog.cron_events CHECK ((status = ANY (${statuses})))`,
      `engine_catalog.scheduled_events CHECK ((status = ANY (${statuses})))`,
      `engine_catalog.event_log_cleanups CHECK ((status = ANY (${cleanups})))`,
      'engine_catalog.event_log_cleanups UNIQUE (trigger_name, scheduled_at)',
      'engine_catalog.cron_event_invocation_logs FOREIGN KEY (event_id) REFERENCES engine_catalog.cron_events(id) ON UPDATE CASCADE ON DELETE CASCADE',
      'engine_catalog.scheduled_event_invocation_logs FOREIGN KEY (event_id) REFERENCES engine_catalog.scheduled_events(id) ON UPDATE CASCADE ON DELETE CASCADE',
    ])
      expect(texts).toContain(expected);
  });
});
