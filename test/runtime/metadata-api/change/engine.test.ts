import { afterEach, expect, test } from 'vitest';
import { type CompileResult, compile } from '../../../../compiler/index.ts';
import { keepCurrent } from '../../../../runtime/metadata-api/index.ts';
import { storedChange } from '../../../../runtime/metadata-api/store/stored-change.ts';
import { describeProgram } from '../../../harness/describe.ts';
import { type MetadataServer, startMetadataServer } from '../../../harness/metadata-server.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const sql =
  'create table author (id serial primary key, name text); create table article (id serial primary key)';
const trackAuthor = { type: 'pg_track_table', args: 'author' };
const trackArticle = { type: 'pg_track_table', args: 'article' };

const servers: MetadataServer[] = [];

async function start(...args: Parameters<typeof startMetadataServer>): Promise<MetadataServer> {
  const server = await startMetadataServer(...args);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

function trackedTables({ engine }: MetadataServer): string[] {
  return engine.state.metadata.sources.flatMap(({ tables }) => tables.map(({ table }) => table.name));
}

test('a change of one instance is taken over by the other', async () => {
  const first = await start(sql);
  const second = await start('', first);
  await first.send(trackAuthor);
  expect(trackedTables(second)).toEqual([]);
  await second.engine.synchronise();
  expect(trackedTables(second)).toEqual(['author']);
  expect([...second.engine.state.compilation.files]).toEqual([...first.engine.state.compilation.files]);
  expect(second.engine.state.resourceVersion).toBe(first.engine.state.resourceVersion);
});

test('the store tells when another instance commits', async () => {
  const first = await start(sql);
  const second = await start('', first);
  const notified = new Promise<void>((resolve) => second.store.watch(resolve));
  // Until it listens, nothing is told.
  for (let sent = 0; sent < 100; sent += 1) {
    await first.send({ type: 'reload_metadata', args: {} });
    if (
      (await Promise.race([notified.then(() => 'told'), new Promise((done) => setTimeout(done, 50))])) ===
      'told'
    )
      return;
  }
  expect.unreachable('no notification came');
});

test('both instances write and no change is lost', async () => {
  const first = await start(sql);
  const second = await start('', first);
  await Promise.all([first.send(trackAuthor), second.send(trackArticle)]);
  // One of the two may have been refused by 409; it says so, and a repetition succeeds.
  for (const [server, request] of [
    [first, trackAuthor],
    [second, trackArticle],
  ] as const) {
    const { status, answer } = await server.send(request);
    if (status !== 200) expect(answer).toMatchObject({ code: 'already-tracked' });
  }
  await first.engine.synchronise();
  await second.engine.synchronise();
  expect(trackedTables(first).sort()).toEqual(['article', 'author']);
  expect(trackedTables(second).sort()).toEqual(['article', 'author']);
});

test('of two writers that read the same version one gets 409', async () => {
  const { store, engine } = await start(sql);
  const version = engine.state.resourceVersion;
  const nothing = storedChange(engine.state.metadata, engine.state.metadata);
  const none = { metadata: true, sources: [], remote_schemas: [] };
  const outcomes = await Promise.allSettled([
    store.commit(nothing, version, none),
    store.commit(nothing, version, none),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'conflict', status: 409, path: '$' },
  });
});

test('a bulk that fails stores nothing, and what its SQL did to the database is served', async () => {
  const server = await start(sql);
  await server.send(trackAuthor);
  const version = server.engine.state.resourceVersion;
  const { status, answer } = await server.send(
    {
      type: 'bulk',
      args: [
        trackArticle,
        { type: 'run_sql', args: { sql: 'alter table author add column age integer' } },
        { type: 'untrack_table', args: { table: 'nobody' } },
      ].map((step) => ({ ...step, type: step.type.replace(/^pg_/, '') })),
    },
    { path: '/v1/query' },
  );
  expect(status).toBe(400);
  expect(answer).toMatchObject({ path: '$.args[2].args', code: 'already-untracked' });
  expect(trackedTables(server)).toEqual(['author']);
  expect(server.engine.state.resourceVersion).toBe(version);
  const shape = server.engine.state.compilation.files.get('sources/default/public/author.table.ts');
  expect(shape).toContain('age');
});

test('bulk_keep_going undoes what failed and keeps the rest', async () => {
  const server = await start(sql);
  const { status, answer } = await server.send({
    type: 'bulk_keep_going',
    args: [trackAuthor, { type: 'pg_track_table', args: 'nobody' }, trackArticle],
  });
  expect(status).toBe(200);
  expect(answer).toMatchObject([
    { message: 'success' },
    { code: 'invalid-configuration' },
    { message: 'success' },
  ]);
  expect(trackedTables(server)).toEqual(['article', 'author']);
});

test('a source that cannot be reached is inconsistent, costs nothing else, and heals', async () => {
  const server = await start(sql);
  await server.send(trackAuthor);
  const other = await createTestDatabase('create table thing (id integer primary key)');
  const connectionInfo = { database_url: other.url };
  const added = {
    type: 'pg_add_source',
    args: { name: 'other', configuration: { connection_info: connectionInfo } },
  };
  expect(await server.send(added)).toMatchObject({ status: 200 });
  await server.send({ type: 'pg_track_table', args: { table: 'thing', source: 'other' } });

  await server.database.query(`alter database "${other.name}" with allow_connections false`);
  await server.database.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    other.name,
  ]);
  const { answer } = await server.send({ type: 'reload_metadata', args: {} });
  expect(answer).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'source', name: 'source other' }],
  });
  expect(JSON.stringify(answer)).not.toContain('postgres://');
  expect(server.engine.state.compilation.files.has('sources/default/public/author.table.ts')).toBe(true);

  await server.database.query(`alter database "${other.name}" with allow_connections true`);
  await server.engine.retrySources();
  expect(server.engine.state.inconsistent).toEqual([]);
  expect(server.engine.state.compilation.files.has('sources/other/public/thing.table.ts')).toBe(true);
});

test('a source is refused that cannot be reached, and its address stays secret', async () => {
  const server = await start(sql);
  const connectionInfo = { database_url: 'postgres://somebody:secret@127.0.0.1:1/nowhere' };
  const { status, answer } = await server.send({
    type: 'pg_add_source',
    args: { name: 'other', configuration: { connection_info: connectionInfo } },
  });
  expect(status).toBe(400);
  expect(answer).toMatchObject({ code: 'invalid-configuration', path: '$.args' });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

test('the version counts modifying requests, a bulk as one', async () => {
  const server = await start(sql);
  const version = () => server.engine.state.resourceVersion;
  expect(version()).toBe(1);
  await server.send({ type: 'bulk', args: [trackAuthor, trackArticle] });
  expect(version()).toBe(2);
  await server.send({ type: 'export_metadata', args: {} });
  await server.send({ type: 'run_sql', args: { sql: 'select 1' } }, { path: '/v2/query' });
  expect(version()).toBe(2);
  await server.send({ type: 'reload_metadata', args: {} });
  expect(version()).toBe(3);
  await server.send(
    { type: 'run_sql', args: { sql: 'alter table author add x text' } },
    { path: '/v2/query' },
  );
  expect(version()).toBe(4);
});

test('the legacy select of a bulk sees what the bulk did before it', async () => {
  const server = await start(`${sql}; insert into author (name) values ('Ada')`);
  const { answer } = await server.send(
    {
      type: 'bulk',
      args: [
        { type: 'track_table', args: 'author' },
        {
          type: 'select',
          args: { table: 'author', columns: ['*'], where: { name: { $like: 'A%' } }, order_by: '-id' },
        },
      ],
    },
    { path: '/v1/query' },
  );
  expect(answer).toEqual([{ message: 'success' }, [{ id: 1, name: 'Ada' }]]);
});

test('a change that cannot be loaded is neither stored nor served, and the next one works', async () => {
  let fails = false;
  const server = await start(sql, {
    beforeLoading: async () => {
      if (fails) throw new Error('the file cannot be evaluated');
    },
  });
  await server.send(trackAuthor);
  const before = { version: server.engine.state.resourceVersion, served: describeProgram(server.served()) };
  fails = true;
  expect((await server.send(trackArticle)).status).toBe(500);
  expect(server.engine.state.resourceVersion).toBe(before.version);
  expect(await server.store.readVersion()).toBe(before.version);
  expect(describeProgram(server.served())).toBe(before.served);
  fails = false;
  expect((await server.send(trackArticle)).status).toBe(200);
  expect(trackedTables(server)).toEqual(['article', 'author']);
});

test('what is served stays while a change takes its time', async () => {
  let loading = () => {};
  let finish = () => {};
  let wait = async () => {};
  const server = await start(sql, { beforeLoading: () => wait() });
  await server.send(trackAuthor);
  const before = describeProgram(server.served());
  const begun = new Promise<void>((resolve) => {
    loading = resolve;
  });
  wait = () => {
    loading();
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const change = server.send(trackArticle);
  await begun;
  expect(describeProgram(server.served())).toBe(before);
  expect((await server.send({ type: 'export_metadata', args: {} })).status).toBe(200);
  expect(trackedTables(server)).toEqual(['author']);
  finish();
  expect((await change).status).toBe(200);
  expect(describeProgram(server.served())).toContain('query { article ');
});

test('a bulk is judged step by step and printed once', async () => {
  // A compile whose files nobody asks for prints none.
  const printed = new Set<object>();
  const server = await start(sql, {
    compile: (input, previous) => {
      const result = compile(input, previous as CompileResult | undefined);
      return {
        diagnostics: result.diagnostics,
        state: result.state,
        get files() {
          return result.files;
        },
        get programFiles() {
          printed.add(result);
          return result.programFiles;
        },
      };
    },
  });
  const role = (name: string) => ({
    type: 'pg_create_select_permission',
    args: { table: 'author', role: name, permission: { columns: ['id'], filter: {} } },
  });
  printed.clear();
  const bulk = [trackAuthor, trackArticle, ...['a', 'b', 'c', 'd'].map(role)];
  expect(await server.send({ type: 'bulk', args: bulk })).toMatchObject({ status: 200 });
  expect(printed.size).toBe(1);
  // Of six steps the fifth cannot be; the ones after it would be fine.
  const wrong = { type: 'pg_create_select_permission', args: { ...role('f').args, table: 'nothing' } };
  const { status, answer } = await server.send({
    type: 'bulk_keep_going',
    args: [role('e'), wrong, role('g')],
  });
  expect(status).toBe(200);
  expect(answer).toMatchObject([{ message: 'success' }, { path: '$.args[1].args' }, { message: 'success' }]);
  expect(printed.size).toBe(2);
});

test('polling finds what no notification told', async () => {
  const first = await start(sql);
  const second = await start('', first);
  const problems: unknown[] = [];
  const deaf = { ...second.store, watch: () => {} };
  const stop = keepCurrent(
    second.engine,
    deaf,
    20,
    (_message, error) => problems.push(error),
    () => {},
  );
  try {
    await first.send(trackAuthor);
    // The test's timeout ends it otherwise.
    while (trackedTables(second).length === 0) await new Promise((done) => setTimeout(done, 10));
    expect(trackedTables(second)).toEqual(['author']);
    expect(problems).toEqual([]);
  } finally {
    stop();
  }
});

test('a document that is nested too deeply is refused', async () => {
  const server = await start('');
  const payload = `{"type":"set_catalog_state","args":{"type":"cli","state":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  const response = await server.app.inject({ method: 'POST', url: '/v1/metadata', payload });
  expect([response.statusCode, response.json()]).toMatchObject([400, { code: 'parse-failed' }]);
});
