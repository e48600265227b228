/** `engine adopt check`, on a database that another engine of the API family has left. */
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../../compiler/cli/cli.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

/** As such an engine called "acme" leaves it, with names that need quotes. */
const LEFT = `
  create schema "acme log";
  create table "acme log".metadata (id int, metadata json, resource_version int);
  create table "acme log".event_log (id serial, trigger_name text, delivered bool default false, error bool default false, archived bool default false);
  create table "acme log".acme_cron_events (id serial, trigger_name text, scheduled_time timestamptz default now(), status text, next_retry_at timestamptz);
  create table "acme log".scheduled_events (id serial, webhook_conf json, scheduled_time timestamptz, status text, next_retry_at timestamptz);
  create table "acme log".action_log (id serial, action_name text, input_payload jsonb, session_variables jsonb, status text);
  create function "acme log".gen_acme_uuid() returns uuid language sql as 'select gen_random_uuid()';
  create function "acme log"."notify_acme_On Note_INSERT"() returns trigger language plpgsql as $$
    begin insert into "acme log".event_log (trigger_name) values ('On Note'); return null; end $$;
  create table "Note" (id uuid default "acme log".gen_acme_uuid(), owner text, body text);
  create trigger "notify_acme_On Note_INSERT" after insert on "Note" for each row execute function "acme log"."notify_acme_On Note_INSERT"();
  create trigger own before insert on "Note" for each row execute function suppress_redundant_updates_trigger();
  drop trigger own on "Note";
  create function account() returns text stable language sql as $$
    select current_setting('acme.user', true)::json ->> 'x-acme-user-id' $$;
  create table parted (id integer, part integer) partition by list (part);
  create table parted_1 partition of parted for values in (1);
  create trigger "notify_acme_On Note_INSERT" after insert on parted for each row execute function "acme log"."notify_acme_On Note_INSERT"();
  create domain account_name as text default current_setting('acme.user', true);
  alter table "Note" add constraint known check (body is not null or current_setting('acme.user', true) <> '');
  create rule kept as on delete to "Note" where current_setting('acme.user', true) = '' do instead nothing;
  create trigger named before insert on "Note" for each row when (current_setting('acme.user', true) <> '')
    execute function suppress_redundant_updates_trigger();
  alter table "Note" disable trigger named;
  create materialized view spoken as select current_setting('acme.user', true) as account;
  create function unconcerned() returns text language sql as $$ select 'acme users drink x-acme' $$;
  create function counts() returns bigint language sql as 'select count(*) from "acme log".event_log';
  create view own_notes with (security_barrier, check_option = local) as select id from "Note" where owner = current_setting('acme.user', true)::json ->> 'x-acme-user-id';
  alter table "Note" enable row level security;
  create policy "the owner's" on "Note" using (owner = current_setting('acme.user')::json ->> 'x-acme-user-id') with check (true);
  insert into "Note" (owner, body) values ('ada', 'first');
  insert into "acme log".action_log (action_name, status) values ('pay', 'created'), ('pay', 'completed');
  insert into "acme log".acme_cron_events (trigger_name, status) values ('nightly', 'scheduled');
  insert into "acme log".acme_cron_events (trigger_name, status, scheduled_time) values ('later', 'scheduled', now() + '1 day');
  insert into "acme log".scheduled_events (status) values ('scheduled'), ('dead');`;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});

async function check(...args: readonly string[]) {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const status = await run(['adopt', 'check', database.url, ...args], {
    environment: {},
    stdout: write,
    stderr: write,
  });
  return { status, output };
}

test('a database without leftovers, our own schema included', async () => {
  await database.query(
    'create schema engine_catalog; create table engine_catalog.event_log (trigger_name text)',
  );
  await database.query('create table metadata (resource_version int)');
  expect(await check()).toEqual({ status: 0, output: 'Nothing of another engine is in this database.\n' });
});

test.each([
  [
    'tables with such names',
    'create table event_log (trigger_name text); create table action_log (action_name text, status text)',
  ],
  [
    'settings',
    `create function me() returns text language sql as $$ select current_setting('app.user', true) $$;
     create table mine (owner text default current_setting('app.user'))`,
  ],
])('what the user made is not taken for another engine: %s', async (_, sql) => {
  await database.query(sql);
  expect(await check()).toEqual({ status: 0, output: 'Nothing of another engine is in this database.\n' });
});

test('a function without a log says the word by a setting and a header of it', async () => {
  await database.query(`create function me() returns text language sql as $$
    select current_setting('acme.user', true)::json ->> 'x-acme-user-id' $$`);
  expect((await check()).output).toContain('its word is "acme"');
});

test('tables and columns that have the word are left alone, and what names both is for a person', async () => {
  await database.query(LEFT);
  await database.query(`create schema acme; create table acme.user (name text, "x-acme-id" text);
    create view names as select "x-acme-id" from acme.user;
    create function users() returns bigint language sql as $$ select count(*) from acme.user $$;
    create function own_id() returns text language sql as $$
      select "x-acme-id" from acme.user where name = current_setting('acme.user') $$;
    create function as_ada() returns text language sql as $$
      select set_config('acme.user', '{"x-acme-user-id": "ada"}', true) $$`);
  const { output } = await check('--format', 'sql');
  expect(output).not.toMatch(/public\.(names|users)/);
  expect(output).toContain('-- by hand: function public.own_id()');
  expect(output).toContain(`set_config('engine.user', '{"x-engine-user-id": "ada"}', true)`);
  await database.query(output);
});

test.each([
  ['a view of its table', 'create view probe as select id from "acme log".event_log', 'uses its tables'],
  [
    'a view that joins it',
    'create view probe as select n.body from "Note" n join "acme log".event_log e on e.trigger_name = n.owner',
    'uses its tables',
  ],
  [
    'a materialized view of its table',
    'create materialized view probe as select count(*) from "acme log".metadata',
    'uses its tables',
  ],
  [
    'a view that calls its function',
    'create view probe as select "acme log".gen_acme_uuid() as id',
    'calls its functions',
  ],
  [
    'a view of both',
    'create view probe as select id, "acme log".gen_acme_uuid() as other from "acme log".event_log',
    'uses its tables and calls its functions',
  ],
  [
    'a view that reads a setting',
    `create view probe as select current_setting('acme.user', true) as account`,
    'reads its settings',
  ],
  [
    'a view that reads a setting and its table',
    `create view probe as select current_setting('acme.user', true) as account, id from "acme log".event_log`,
    'reads its settings and uses its tables',
  ],
  [
    'a function over its table',
    `create function probe() returns bigint language sql as 'select count(*) from "acme log".event_log'`,
    'uses its tables',
  ],
  [
    'a function that calls its function',
    `create function probe() returns uuid language sql as 'select "acme log".gen_acme_uuid()'`,
    'calls its functions',
  ],
  [
    'a policy on its table',
    'alter table "Note" enable row level security; create policy probe on "Note" using (exists (select from "acme log".event_log))',
    'uses its tables',
  ],
  [
    'a default by its function',
    'create table probe (id uuid default "acme log".gen_acme_uuid())',
    'calls its functions',
  ],
])('what is read of the other engine: %s', async (_, sql, says) => {
  await database.query(LEFT);
  await database.query(sql);
  const { output } = await check();
  const lines = output.split('\n').filter((line) => /\bprobe\b/.test(line));
  expect(lines).toEqual([expect.stringMatching(new RegExp(`: ${says}$`))]);
});

test('in the vocabulary of the other engine, what reads its settings stays as it is', async () => {
  await database.query(LEFT);
  const { status, output } = await check('--format', 'sql', '--vocabulary', 'acme');
  expect(status).toBe(1);
  expect(output).toContain('drop trigger "notify_acme_On Note_INSERT" on "public"."Note";');
  expect(output).not.toContain('own_notes');
  expect(output).not.toContain('engine.user');
});

test('finds triggers, readers and what was not delivered, and leaves others alone', async () => {
  await database.query(LEFT);
  const { status, output } = await check('--format', 'json');
  expect(status).toBe(1);
  const found = JSON.parse(output) as { readers: { name: string }[] };
  expect({ ...found, readers: found.readers.map(({ name }) => name) }).toEqual({
    schemas: ['acme log'],
    word: 'acme',
    triggers: [
      {
        schema: 'public',
        table: 'Note',
        name: 'notify_acme_On Note_INSERT',
        function: '"acme log"."notify_acme_On Note_INSERT"',
      },
      {
        schema: 'public',
        table: 'parted',
        name: 'notify_acme_On Note_INSERT',
        function: '"acme log"."notify_acme_On Note_INSERT"',
      },
    ],
    readers: [
      'public.account()',
      'public.counts()',
      'public.own_notes',
      'public.spoken',
      `public."Note" policy "the owner's"`,
      'domain public.account_name',
      'public."Note".id',
      'public."Note" constraint known',
      'public."Note" rule kept',
      'public."Note" trigger named',
    ],
    undelivered: [
      { kind: 'asynchronous action', name: 'pay', count: 1 },
      { kind: 'cron event', name: 'nightly', count: 1 },
      { kind: 'event', name: 'On Note', count: 1 },
      { kind: 'scheduled event', name: '', count: 1 },
    ],
  });
  const { output: text } = await check();
  expect(text).toContain('trigger notify_acme_On Note_INSERT on public.Note: goes on writing to its log');
  expect(text).toContain('not worked off: 1 × event On Note');
});

test('the SQL settles it: own rows read the new setting, nothing is captured any more, and what cannot be rewritten is said', async () => {
  await database.query(LEFT);
  const { output: sql } = await check('--format', 'sql');
  expect(sql).toContain('-- by hand: function public.counts() uses acme log');
  expect(sql).toContain('-- by hand: materialized view public.spoken');
  expect(sql).toContain('-- drop schema "acme log" cascade;');
  await database.query(sql);
  const [view] = await database.query<{ options: string[] }>(
    `select reloptions as options from pg_class where relname = 'own_notes'`,
  );
  const [trigger] = await database.query<{ enabled: string }>(
    `select tgenabled as enabled from pg_trigger where tgname = 'named' and tgrelid = '"Note"'::regclass`,
  );
  expect(trigger!.enabled).toBe('D');
  expect(view!.options.sort()).toEqual(['check_option=local', 'security_barrier=true']);
  await database.query(`insert into "Note" (owner) values ('ada'), ('bob')`);
  const [left] = await database.query<{ count: number }>(
    'select count(*)::int as count from "acme log".event_log',
  );
  expect(left!.count).toBe(1);
  await database.query(`select set_config('engine.user', '{"x-engine-user-id": "bob"}', false)`);
  const after = JSON.parse((await check('--format', 'json')).output) as {
    triggers: object[];
    readers: object[];
  };
  expect(after.triggers).toEqual([]);
  expect(after.readers).toMatchObject([
    { kind: 'function', name: 'public.counts()' },
    { kind: 'materialized view', name: 'public.spoken' },
  ]);
  const [own] = await database.query<{ account: string }>(
    `select account() from set_config('engine.user', '{"x-engine-user-id": "bob"}', false)`,
  );
  expect(own!.account).toBe('bob');
  await database.query(`update "acme log".event_log set delivered = true; update "acme log".action_log set status = 'completed';
    update "acme log".scheduled_events set status = 'dead'; drop function counts; drop materialized view spoken; drop schema "acme log" cascade`);
  expect((await check()).status).toBe(0);
});

test('a database that cannot be reached is a wrong use, without its password', async () => {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const url = 'postgres://somebody:a-password-of-the-test@127.0.0.1:1/none';
  const status = await run(['adopt', 'check', url], { environment: {}, stdout: write, stderr: write });
  expect(status).toBe(2);
  expect(output).toContain('The database cannot be read');
  expect(output).not.toContain('a-password-of-the-test');
});
