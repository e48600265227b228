/** docs/database.md: a role with the rights of the page, and no others, serves queries, writes, events and live queries. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { answerTo, replaceMetadata, startTestServer, type TestServer } from '../harness/server.ts';
import { startWebhook, type WebhookReceiver } from '../harness/webhook.ts';

const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
/** The SQL of the page, in its order. */
const steps = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql!);
const id = randomBytes(4).toString('hex');
/** The roles of the page, by names that no other test of the cluster uses; the last one is another program's. */
const [engine, owner, other] = [`engine_${id}`, `owner_${id}`, `other_${id}`];

let database: TestDatabase;
let webhook: WebhookReceiver;
let server: TestServer;

function prepared(sql: string): string {
  return sql
    .replaceAll(/\bengine\b/g, engine)
    .replaceAll('app_owner', owner)
    .replaceAll('database app', `database ${pg.escapeIdentifier(database.name)}`);
}

/** The address of the database for another role. */
function addressOf(role: string): string {
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'change me'];
  return url.href;
}

beforeAll(async () => {
  database = await createTestDatabase(
    'create table note (id serial primary key, owner int not null, body text); create function shout(note) returns text stable language sql as $$ select upper($1.body) $$;',
  );
  webhook = await startWebhook();
  await database.query(
    `create role ${owner}; create role ${other} login password 'change me'; alter table note owner to ${owner};
     grant insert, select on note to ${other}; grant usage on note_id_seq to ${other}`,
  );
  for (const sql of steps.slice(0, 2)) await database.query(prepared(sql));
  server = await startTestServer({ ...database, url: addressOf(engine) }, { EVENTS_FETCH_INTERVAL: '100' });
  await serve([]);
});

/** Serves the table with these event triggers, and with recorded writes where there are any. */
async function serve(event_triggers: readonly object[]): Promise<void> {
  await replaceMetadata(server, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: {
          connection_info: { database_url: addressOf(engine) },
          ...(event_triggers.length > 0 && { live_queries: { record_writes: true } }),
        },
        tables: [
          {
            table: 'note',
            computed_fields: [{ name: 'loud', definition: { function: 'shout' } }],
            select_permissions: [
              { role: 'user', permission: { columns: '*', filter: { owner: { _eq: 'X-Engine-User-Id' } } } },
            ],
            event_triggers,
          },
        ],
      },
    ],
  });
}

afterAll(async () => {
  await server?.stop();
  await webhook?.close();
  await database.query(`drop owned by ${engine}, ${owner}, ${other} cascade`);
});

const ask = (query: string) => answerTo(server, query);

const trigger = () => ({
  name: 'noted',
  webhook: webhook.url,
  definition: { enable_manual: false, insert: { columns: '*' } },
  retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
});

test('the page has three steps, and the role no right beyond them', async () => {
  expect(steps).toHaveLength(3);
  const [row] = await database.query(
    'select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = $1',
    [engine],
  );
  expect(Object.values(row!)).toEqual([false, false, false, false, false]);
});

test('two steps suffice to read, compute and write', async () => {
  const written = await ask('mutation { insert_note_one(object: { owner: 1, body: "hi" }) { id body } }');
  expect(written).toEqual({ data: { insert_note_one: { id: 1, body: 'hi' } } });
  expect(await ask('{ note { body loud } }')).toMatchObject({ data: { note: [{ body: 'hi', loud: 'HI' }] } });
});

test('triggers take the third', async () => {
  await expect(serve([trigger()])).rejects.toThrow('permission denied for table note');
  await database.query(prepared(steps[2]!));
  await serve([trigger()]);
  const installed = async () => {
    const rows = await database.query(
      `select from pg_trigger where tgrelid = 'note'::regclass and tgname like 'engine_live%'`,
    );
    return rows.length;
  };
  await expect.poll(installed, { timeout: 30_000 }).toBe(4);
});

test('events of every writer are delivered, whatever its rights', async () => {
  await ask('mutation { insert_note_one(object: { owner: 1 }) { id } }');
  const client = new pg.Client({ connectionString: addressOf(other) });
  await client.connect();
  await client.query(`insert into note (owner, body) values (2, 'elsewhere')`);
  await client.end();
  await expect.poll(() => webhook.calls.length, { timeout: 30_000 }).toBe(2);
});
