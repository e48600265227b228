/** What a mutation on distributed tables sends: one transaction that says so, whose statements run once. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { type LoggedDatabase, startLoggedDatabase } from '../../harness/statement-log.ts';

const read = (file: string) => readFileSync(new URL(`../../requests/citus/${file}`, import.meta.url), 'utf8');

let database: LoggedDatabase;
let served: InProcess;
beforeAll(async () => {
  database = await startLoggedDatabase(read('schema.sql'));
  await database.query(read('rows.sql').replace(/insert into (plan|ticket_status|setting) [^;]*;/g, ''));
  const distribution = JSON.parse(read('distribution.json'));
  const metadata = parse(read('metadata.yaml')) as JsonObject;
  served = await serveInProcess(database.url, metadata, undefined, { distribution });
});
afterAll(async () => {
  await served?.end();
  await database?.stop();
});

async function sent(query: string): Promise<string[]> {
  database.statements();
  const session = { 'x-engine-tenant-id': '1', 'x-engine-user-id': '1' };
  await served.answer({ query }, 'agent', session).catch(() => undefined);
  return database.statements().map((text) => text.replace(/\s+/g, ' ').slice(0, 44));
}

const BEGIN = [
  'begin isolation level read committed read wr',
  "set local citus.multi_shard_modify_mode to '",
  "set local citus.propagate_set_commands to 'l",
];
const WRITER = "select pg_catalog.set_config('engine.user', ";
const UPDATE = 'with "written" as (update "public"."tag" as ';

test('several fields are one transaction', async () => {
  const field = (id: number) =>
    `update_tag_by_pk(pk_columns: {tenant_id: 1, id: ${id}}, _set: {name: "tag ${id}"}) { id }`;
  expect(await sent(`mutation { a: ${field(1)} b: ${field(2)} }`)).toEqual([
    ...BEGIN,
    WRITER,
    UPDATE,
    UPDATE,
    'commit',
  ]);
});

test('one row is a transaction of its own too, and what fails is not run again', async () => {
  const one =
    'mutation { update_tag_by_pk(pk_columns: {tenant_id: 1, id: 1}, _set: {name: "tag 2"}) { id } }';
  expect(await sent(one)).toEqual([...BEGIN, WRITER, UPDATE]);
});

test('a query has no transaction', async () => {
  expect(await sent('{ tag { name } }')).toHaveLength(1);
});
