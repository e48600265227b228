/** Changes of services as the console makes them: the metadata API takes each, and what it makes of it is what the form had. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReviews } from '../../../compiler/review/console.ts';
import type { Change } from '../../../runtime/console/page/model/change.ts';
import {
  allow,
  createEndpoint,
  dropAction,
  dropCollection,
  dropCron,
  dropEndpoint,
  dropOperation,
  dropRemote,
  dropTrigger,
  putAction,
  putCron,
  putRemote,
  putTrigger,
  renameCollection,
  saveOperation,
  setRemotePermission,
} from '../../../runtime/console/page/services/operations.ts';
import { answerProposal } from '../../../runtime/console/proposal.ts';
import type { Proposal, ProposalAnswer } from '../../../runtime/console/proposal-questions.ts';
import type {
  ActionAnswer,
  ReadAction,
  RemotePartAnswer,
  ServicesAnswer,
} from '../../../runtime/console/services-questions.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { answerRequest, openMetadataStore } from '../../../runtime/metadata-api/index.ts';
import { type ServedEngine, startMetadataEngine } from '../../harness/metadata-engine.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const session = { vocabulary: CANONICAL, role: 'admin', variables: {}, backendOnly: false };
const HOSTILE = `<img src=x> "a/b" {{NO}} 'ü'`;
const ITEM = { source: 'default', schema: 'public', name: 'item' };
const ODD = { source: 'default', schema: 'odd schema', name: 'odd "table"' };

const reviews = openReviews();
let served: ServedEngine;
let close: () => Promise<void>;
/** Changes that wait. */
let draft: readonly Change[] = [];

beforeAll(async () => {
  const own = await createTestDatabase('');
  const database = await createTestDatabase(`
    create table item (id int primary key, name text);
    create schema "odd schema";
    create table "odd schema"."odd ""table""" (id int primary key);`);
  const store = await openMetadataStore(own.url, CANONICAL);
  served = await startMetadataEngine(store, database.url, {
    readRemote: async () => 'type Query { a: Int b: T } type T { c: Int d: String }',
  });
  for (const { source, schema, name } of [ITEM, ODD])
    await request({ type: 'pg_track_table', args: { source, table: { schema, name } } });
  close = async () => {
    await served.engine.stop();
    await store.close();
  };
}, 60_000);
afterAll(() => close?.());

async function request(operation: object): Promise<unknown> {
  return JSON.parse(
    await answerRequest(served.engine, '/v1/metadata', JSON.stringify(operation), { session }),
  );
}

async function propose<Shown>(show: Proposal['show']): Promise<ProposalAnswer<Shown>> {
  const operations = draft.map(({ operation }) => operation);
  return JSON.parse(await answerProposal(JSON.stringify({ operations, show }), served.engine, reviews));
}

/** Keeps a change as the console does; shows the services with it. */
async function keep(change: Change): Promise<ServicesAnswer> {
  draft = [...draft.filter(({ key }) => key !== change.key), change];
  const { problems, shown } = await propose<ServicesAnswer>({ page: 'services' });
  expect([change.title, problems]).toEqual([change.title, []]);
  return shown;
}

/** Applies what waits: it is what was shown. */
async function apply(): Promise<ServicesAnswer> {
  const { shown } = await propose<ServicesAnswer>({ page: 'services' });
  await request({ type: 'bulk', args: draft.map(({ operation }) => operation) });
  draft = [];
  expect((await propose<ServicesAnswer>({ page: 'services' })).shown).toEqual(shown);
  return shown;
}

async function action(
  former: string | undefined,
  text: string,
  definition: Record<string, string | number | boolean>,
  roles: readonly string[],
): Promise<ServicesAnswer> {
  const before = (await propose<ServicesAnswer>({ page: 'services' })).shown;
  const show = { page: 'action', text, ...(former !== undefined && { name: former }) } as const;
  const { read } = (await propose<ActionAnswer>(show)).shown;
  const entry = before.actions.find(({ name }) => name === former);
  return keep(putAction(entry, read as ReadAction, { definition }, roles));
}

describe('changes of services', () => {
  test('cron triggers', async () => {
    const entry = {
      ...{ name: HOSTILE, webhook: 'http://h', schedule: '@daily', payload: { a: [1, null] } },
      ...{ include_in_metadata: false, timezone: 'Europe/Berlin' },
    };
    expect((await keep(putCron(entry, true))).crons).toMatchObject([{ ...entry, schedule: '0 0 * * *' }]);
    await keep(putCron({ ...entry, schedule: '1 * * * *' }, false));
    const last = await keep(putCron({ ...entry, schedule: '2 * * * *' }, false));
    expect(last.crons).toMatchObject([{ schedule: '2 * * * *' }]);
    // Another edit takes the place of the one before.
    expect(draft.length).toBe(2);
    const [stored] = (await apply()).crons;
    expect((await keep(putCron(stored!, false))).crons).toEqual([stored]);
    expect((await keep(dropCron(HOSTILE))).crons).toEqual([]);
    await apply();
  });

  test.each([
    [ITEM, { insert: { columns: '*' } }],
    [ITEM, { update: { columns: ['name'], payload: ['id'] }, delete: { columns: '*' } }],
    [ODD, { enable_manual: true }],
  ])('an event trigger of %j for %j', async (table, definition) => {
    const entry = {
      name: 'told',
      definition,
      webhook_from_env: 'HOOK',
      headers: [{ name: 'a', value: 'b' }],
    };
    const { triggers } = await keep(putTrigger(table, entry, true));
    expect(triggers).toMatchObject([
      { source: 'default', table: { schema: table.schema, name: table.name }, trigger: entry },
    ]);
    const [{ trigger }] = triggers as [ServicesAnswer['triggers'][number]];
    const retry_conf = { num_retries: 2, interval_sec: 1 };
    const changed = await keep(putTrigger(table, { ...trigger, retry_conf }, false));
    expect(changed.triggers[0]?.trigger).toMatchObject({ ...trigger, retry_conf });
    expect((await keep(dropTrigger('default', 'told'))).triggers).toEqual([]);
    draft = [];
  });

  test('actions: types come and go with them, also of changes that wait', async () => {
    const text = 'type Mutation { one(a: In): Out } input In { x: Int } type Out { y: E } enum E { P Q }';
    const first = await action(undefined, text, { handler: '{{H}}/one' }, ['b', 'a']);
    expect(first.actions).toMatchObject([
      {
        name: 'one',
        definition: { type: 'mutation', handler: '{{H}}/one' },
        permissions: [{ role: 'b' }, { role: 'a' }],
      },
    ]);
    await action(undefined, 'type Query { two: Out }', { handler: 'http://h' }, []);
    const changed = await action('one', 'type Query { one: [Out!]! }', { handler: 'http://h', timeout: 3 }, [
      'a',
      'c',
    ]);
    expect(changed.actions[0]).toMatchObject({ permissions: [{ role: 'a' }, { role: 'c' }] });
    expect(changed.actions[0]?.definition).toMatchObject({
      output_type: '[Out!]!',
      timeout: 3,
    });
    expect(changed.actions[0]?.definition).not.toHaveProperty('arguments');
    expect(await definitionOf('two')).toContain('enum E');
    const renamed = await action('two', 'type Query { three: Out }', { handler: 'http://h' }, ['a']);
    expect(renamed.actions.map(({ name }) => name)).toEqual(['one', 'three']);
    await apply();
    await dropped('one');
    const left = await dropped('three');
    expect(left.actions).toEqual([]);
    await apply();
    expect(JSON.stringify(await request({ type: 'export_metadata', args: {} }))).not.toContain('"Out"');
  });

  async function definitionOf(name: string) {
    return (await propose<ActionAnswer>({ page: 'action', name })).shown.definition;
  }
  async function dropped(name: string): Promise<ServicesAnswer> {
    const { remaining } = (await propose<ActionAnswer>({ page: 'action', name })).shown;
    return keep(dropAction(name, remaining));
  }

  test('remote schemas, and parts of roles', async () => {
    await keep(putRemote({ name: HOSTILE, definition: { url: 'http://h' } }, true));
    const definition = { url_from_env: 'OTHER', timeout_seconds: 2 };
    const shown = await keep(putRemote({ name: HOSTILE, definition, comment: 'c' }, false));
    expect(shown.remotes).toMatchObject([{ name: HOSTILE, definition, comment: 'c' }]);
    const part = async (chosen: readonly string[]) =>
      (await propose<RemotePartAnswer>({ page: 'remote', name: HOSTILE, role: 'r', chosen })).shown.schema!;
    await keep(setRemotePermission(HOSTILE, 'r', false, await part(['Query.a'])));
    await keep(setRemotePermission(HOSTILE, 'r', true, await part(['Query.b', 'T.d'])));
    const [remote] = (await apply()).remotes;
    expect(remote?.permissions).toMatchObject([
      { role: 'r', definition: { schema: await part(['Query.b', 'T.d']) } },
    ]);
    expect((await keep(setRemotePermission(HOSTILE, 'r', true, undefined))).remotes[0]).not.toHaveProperty(
      'permissions',
    );
    expect((await keep(dropRemote(HOSTILE))).remotes).toEqual([]);
    await apply();
  });

  test('collections, the allow-list and endpoints', async () => {
    const query = '# a comment\nquery q($id: Int) { item(where: {id: {_eq: $id}}) { name } }';
    const first = await keep(saveOperation([], HOSTILE, 'q 1', query));
    await keep(saveOperation(first.collections, HOSTILE, 'q 2', '{ item { id } }'));
    await keep(allow(HOSTILE, false, { global: true }));
    await keep(allow(HOSTILE, true, { global: false, roles: ['a', 'b'] }));
    await keep(createEndpoint([HOSTILE, 'q 1'], { name: 'e', url: 'x/:id', methods: ['GET', 'POST'] }));
    const renamed = await keep(renameCollection(HOSTILE, 'plain'));
    expect(renamed).toMatchObject({
      collections: [{ name: 'plain', definition: { queries: [{ name: 'q 1', query }, { name: 'q 2' }] } }],
      allowlist: [{ collection: 'plain', scope: { global: false, roles: ['a', 'b'] } }],
      endpoints: [{ name: 'e', definition: { query: { collection_name: 'plain', query_name: 'q 1' } } }],
    });
    await apply();
    await keep(dropEndpoint('e'));
    await keep(dropOperation('plain', 'q 2'));
    expect((await keep(allow('plain', true, undefined))).allowlist).toEqual([]);
    expect((await keep(dropCollection('plain'))).collections).toEqual([]);
    await apply();
  });
});
