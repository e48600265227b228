/** Numbers keep their digits from every entrance of a running server to what it reads, writes, sends and exports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answering, Handler } from '../../harness/handler.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect, openSocket, type TestSocket } from '../../harness/socket.ts';

/** Not a double; its neighbours are. */
const ID = '9007199254740993';
const DECIMAL = '12345678901234567890.12345';
const NUMBERS = [ID, DECIMAL, '1e400', '-0', '0.1234567890123456789', '1E-400'];

/** As numeric and jsonb print them. */
const PRINTED: Readonly<Record<string, string>> = {
  '-0': '0',
  '1e400': `1${'0'.repeat(400)}`,
  '1E-400': `0.${'0'.repeat(399)}1`,
};
const LIST = `[${NUMBERS.map((number) => PRINTED[number] ?? number).join(', ')}]`;

let database: TestDatabase;
let server: TestServer;
let handler: Handler;
let remote: RemoteServer;

async function post(path: string, body: string, role = 'admin'): Promise<string> {
  const answer = await send(server, path, { body, headers: { 'x-engine-role': role } });
  expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('"errors"')]);
  return answer.text;
}

const metadata = (type: string, args: string) => post('/v1/metadata', `{"type":"${type}","args":${args}}`);

const graphql = (query: string, variables = '{}', role = 'admin') =>
  post('/v1/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`, role);

async function read(column: string, where = 'true'): Promise<string[]> {
  const rows = await database.query(`select ${column}::text as value from big where ${where} order by id`);
  return rows.map(({ value }) => String(value));
}

beforeAll(async () => {
  database = await createTestDatabase(`
    create table big (id bigint primary key, n numeric, f float8, j jsonb);
    create function above(minimum numeric) returns setof big language sql stable
      as 'select * from big where n >= minimum';
  `);
  handler = await new Handler().listen();
  remote = await startRemoteServer(
    'type Query { echo(id: Float, in: Input): String } input Input { id: [Float] }',
    {},
  );
  server = await startTestServer(database);
  await metadata('pg_track_table', '{"table":"big"}');
  await metadata('pg_track_function', '{"function":"above"}');
});

afterAll(async () => {
  await server.stop();
  await remote.stop();
  handler.close();
});

const insert = 'mutation ($j: jsonb, $n: numeric) { insert_big_one(object: {id: 1, j: $j, n: $n}) { j } }';

const rows = () =>
  database.query(
    `truncate big; insert into big (id, n) values (${ID}, ${DECIMAL}), (9007199254740992, 12345678901234567000)`,
  );

describe('variables', () => {
  test('of a body reach columns with their digits', async () => {
    await database.query('truncate big');
    await graphql(insert, `{"j":[${NUMBERS}],"n":${DECIMAL}}`);
    expect(await read('j')).toEqual([LIST]);
    expect(await read('n')).toEqual([DECIMAL]);
  });

  test('of a message over a socket reach columns with their digits', async () => {
    await database.query('truncate big');
    const socket = await connect(server);
    socket.send(
      `{"type":"subscribe","id":"1","payload":{"query":${JSON.stringify(insert)},"variables":{"j":[${NUMBERS}],"n":${DECIMAL}}}}`,
    );
    await socket.next();
    expect(socket.texts[1]).toContain(`"payload":{"data":{"insert_big_one":{"j":${LIST}}}}`);
    expect(await read('n')).toEqual([DECIMAL]);
    await socket.close();
  });

  test.each(['delete_big_by_pk(id: $i) { id }', 'delete_big(where: {id: {_in: [$i]}}) { affected_rows }'])(
    'of a message choose the row: %s',
    async (field) => {
      await rows();
      const socket = await connect(server);
      const query = `mutation ($i: bigint!) { ${field} }`;
      socket.send(`{"type":"subscribe","id":"1","payload":{"query":"${query}","variables":{"i":${ID}}}}`);
      await socket.next();
      expect(await read('id')).toEqual(['9007199254740992']);
      await socket.close();
    },
  );

  test('of a GET, of a REST path and body, and of an explanation', async () => {
    await rows();
    const query = 'query ($i: bigint!) { big_by_pk(id: $i) { id } }';
    const address = new URLSearchParams({ query, variables: `{"i":${ID}}` });
    const got = await send(server, `/v1/graphql?${address}`, { method: 'GET' });
    expect(got.text).toBe(`{"data":{"big_by_pk":{"id":${ID}}}}`);
    await metadata(
      'create_query_collection',
      `{"name":"all","definition":{"queries":[{"name":"one","query":"${query}"}]}}`,
    );
    for (const [name, url] of [
      ['path', 'big/:i'],
      ['body', 'big'],
    ])
      await metadata(
        'create_rest_endpoint',
        `{"name":"${name}","url":"${url}","methods":["POST"],"definition":{"query":{"collection_name":"all","query_name":"one"}}}`,
      );
    expect(await post(`/api/rest/big/${ID}`, '')).toBe(`{"big_by_pk":{"id":${ID}}}`);
    expect(await post('/api/rest/big', `{"i":${ID}}`)).toBe(`{"big_by_pk":{"id":${ID}}}`);
    expect(await post(`/api/rest/big?i=${ID}`, '')).toBe(`{"big_by_pk":{"id":${ID}}}`);
    const explained = await post(
      '/v1/graphql/explain',
      `{"query":{"query":"${query}","variables":{"i":${ID}}}}`,
    );
    expect(explained).toContain(ID);
  });

  test('what a column cannot hold is refused', async () => {
    for (const number of ['1e400', DECIMAL]) {
      const query = 'query ($i: bigint!) { big_by_pk(id: $i) { id } }';
      const body = `{"query":"${query}","variables":{"i":${number}}}`;
      expect((await send(server, '/v1/graphql', { body })).text).toContain('lies outside the bounds');
    }
    const body = `{"query":"query ($f: float8) { big(where: {f: {_eq: $f}}) { id } }","variables":{"f":1e400}}`;
    expect((await send(server, '/v1/graphql', { body })).text).toContain('out of range');
  });

  test('minus zero stays negative in a float', async () => {
    await database.query('truncate big');
    await graphql('mutation ($f: float8) { insert_big_one(object: {id: 1, f: $f}) { id } }', '{"f":-0}');
    expect(await read('f')).toEqual(['-0']);
  });
});

describe('metadata', () => {
  const permission = (type: string, role: string, body: string) =>
    metadata(`pg_create_${type}_permission`, `{"table":"big","role":"${role}","permission":${body}}`);
  const exported = () => metadata('export_metadata', '{}');

  test('row rules compare with the number that was written, also after a restart', async () => {
    await rows();
    await permission('select', 'eq', `{"columns":["id"],"filter":{"id":{"_eq":${ID}}}}`);
    await permission('select', 'in', `{"columns":["id"],"filter":{"id":{"_in":[1,${ID}]}}}`);
    await permission('select', 'n', `{"columns":["id"],"filter":{"n":{"_eq":${DECIMAL}}}}`);
    await permission('select', 'j', `{"columns":["id"],"filter":{"j":{"_contains":{"a":[${NUMBERS}]}}}}`);
    await permission(
      'insert',
      'set',
      `{"columns":["id"],"check":{},"set":{"n":${DECIMAL},"j":[${NUMBERS}]}}`,
    );
    await database.query(`update big set j = '{"a": ${LIST}}' where id = ${ID}`);
    const readAll = async () => {
      for (const role of ['eq', 'in', 'n', 'j'])
        expect([role, await graphql('{ big { id } }', '{}', role)]).toEqual([
          role,
          `{"data":{"big":[{"id":${ID}}]}}`,
        ]);
      await graphql('mutation { insert_big(objects: {id: 1}) { affected_rows } }', '{}', 'set');
      expect([await read('n', 'id = 1'), await read('j', 'id = 1')]).toEqual([[DECIMAL], [LIST]]);
      await database.query('delete from big where id = 1');
    };
    await readAll();
    const before = await exported();
    for (const number of NUMBERS) expect(before).toContain(number);
    await server.stop();
    server = await startTestServer(database);
    await readAll();
    expect(await exported()).toBe(before);
    await metadata('replace_metadata', before);
    await readAll();
    expect(await exported()).toBe(before);
  });

  test('a number that differs in its last digit is another rule', async () => {
    await rows();
    await permission('select', 'changed', `{"columns":["id"],"filter":{"id":{"_eq":${ID}}}}`);
    const before = await exported();
    const other = before.replace(
      `"role":"changed","permission":{"columns":["id"],"filter":{"id":{"_eq":${ID}`,
      `"role":"changed","permission":{"columns":["id"],"filter":{"id":{"_eq":9007199254740992`,
    );
    expect(other).not.toBe(before);
    await metadata('replace_metadata', other);
    expect(await graphql('{ big { id } }', '{}', 'changed')).toBe(
      '{"data":{"big":[{"id":9007199254740992}]}}',
    );
    expect(await exported()).toBe(other);
  });

  test('what a column cannot hold, and a setting with too many digits, are refused', async () => {
    const refused = async (type: string, args: string) => {
      const { status, text } = await send(server, '/v1/metadata', {
        body: `{"type":"${type}","args":${args}}`,
      });
      expect(status).toBe(400);
      return text;
    };
    const filter = (value: string) =>
      refused(
        'pg_create_select_permission',
        `{"table":"big","role":"no","permission":{"columns":["id"],"filter":${value}}}`,
      );
    expect(await filter('{"id":{"_eq":1e400}}')).toContain('lies outside the bounds');
    expect(await filter('{"f":{"_eq":1e400}}')).toContain('out of range');
    expect(await filter('{"f":{"_in":[1,-1e400]}}')).toContain('out of range');
    const limited = `{"table":"big","role":"no","permission":{"columns":["id"],"filter":{},"limit":${ID}}}`;
    expect(await refused('pg_create_select_permission', limited)).toContain(ID);
  });

  test('payloads of cron triggers and one-off events are sent as they were written', async () => {
    const payload = `{"a":[${NUMBERS}]}`;
    await metadata(
      'create_cron_trigger',
      `{"name":"c","webhook":"${handler.url}/cron","schedule":"0 0 1 1 *","include_in_metadata":true,"payload":${payload}}`,
    );
    await database.query(
      "insert into engine_catalog.cron_events (trigger_name, scheduled_time) values ('c', now() - interval '1 second')",
    );
    await metadata(
      'create_scheduled_event',
      `{"webhook":"${handler.url}/once","schedule_at":"${new Date().toISOString()}","payload":${payload}}`,
    );
    for (const path of ['/cron', '/once'])
      await expect
        .poll(() => handler.calls.find(({ url }) => url === path)?.body, { timeout: 30_000 })
        .toContain(`"payload":${payload}`);
    expect(await exported()).toContain(payload);
    await metadata('delete_cron_trigger', '{"name":"c"}');
  });

  test('constant arguments of remote relationships reach the remote schema', async () => {
    await rows();
    await metadata('add_remote_schema', `{"name":"r","definition":{"url":"${remote.url}"}}`);
    await metadata(
      'pg_create_remote_relationship',
      `{"source":"default","table":"big","name":"far","definition":{"to_remote_schema":{"remote_schema":"r","lhs_fields":["id"],
        "remote_field":{"echo":{"arguments":{"id":${DECIMAL},"in":{"id":[${ID}.5]}}}}}}}`,
    );
    await graphql('{ big { far } }');
    expect(remote.calls.at(-1)!.query).toContain(`id: ${DECIMAL}`);
    expect(remote.calls.at(-1)!.query).toContain(`id: [${ID}.5]`);
    await server.stop();
    server = await startTestServer(database);
    await graphql('{ big { far } }');
    expect(remote.calls.at(-1)!.query).toContain(`id: ${DECIMAL}`);
  });

  test('the state of a client comes back with its digits', async () => {
    await metadata('set_catalog_state', `{"type":"cli","state":{"a":[${NUMBERS}]}}`);
    expect(await metadata('get_catalog_state', '{}')).toContain(`{"a":${LIST.replaceAll(' ', '')}}`);
  });

  test('the older operations for data', async () => {
    await database.query('truncate big');
    const run = (type: string, args: string) => post('/v1/query', `{"type":"${type}","args":${args}}`);
    await run('insert', `{"table":"big","objects":[{"id":${ID},"n":${DECIMAL},"j":[${NUMBERS}]}]}`);
    expect([await read('id'), await read('n'), await read('j')]).toEqual([[ID], [DECIMAL], [LIST]]);
    expect(await run('select', `{"table":"big","columns":["id"],"where":{"id":${ID}}}`)).toBe(
      `[{"id":${ID}}]`,
    );
    expect(await run('count', `{"table":"big","where":{"id":{"$in":[9007199254740992]}}}`)).toBe(
      '{"count":0}',
    );
  });
});

describe('answers of others', () => {
  test('of action handlers and remote schemas are passed on with their digits', async () => {
    handler.answer = answering(`{"id":${ID},"any":[${NUMBERS}]}`);
    await metadata(
      'set_custom_types',
      '{"objects":[{"name":"Out","fields":[{"name":"id","type":"Float!"},{"name":"any","type":"jsonb"}]}]}',
    );
    await metadata(
      'create_action',
      `{"name":"act","definition":{"kind":"synchronous","type":"query","arguments":[{"name":"given","type":"jsonb"}],"output_type":"Out","handler":"${handler.url}/act"}}`,
    );
    const answer = await graphql('query ($g: jsonb) { act(given: $g) { id any } }', `{"g":[${NUMBERS}]}`);
    expect(answer).toBe(`{"data":{"act":{"id":${ID},"any":[${NUMBERS}]}}}`);
    expect(handler.calls.at(-1)!.body).toContain(`"given":[${NUMBERS}]`);
    handler.answer = answering('{}');
  });
});

describe('messages of sockets', () => {
  const asked = async (socket: TestSocket, text: string): Promise<string> => {
    const answer = new Promise<string>((resolve) =>
      socket.socket.once('message', (data) => resolve(String(data))),
    );
    socket.send(text);
    return answer;
  };

  test('the payload of a ping comes back with its digits', async () => {
    const socket = await connect(server);
    const payload = `{"a":[${NUMBERS}]}`;
    expect(await asked(socket, `{"type":"ping","payload":${payload}}`)).toBe(
      `{"type":"pong","payload":${payload}}`,
    );
    await socket.close();
  });

  test.each([501, 4200, 1_000_000])(
    'a message of %i levels closes its socket and nothing else',
    async (levels) => {
      const socket = await openSocket(server);
      socket.send(`{"type":"ping","payload":${'['.repeat(levels)}${']'.repeat(levels)}}`);
      expect(await socket.closed()).toMatchObject({
        code: 4400,
        reason: expect.stringContaining('nested too deeply'),
      });
      expect(await graphql('{ __typename }')).toContain('query_root');
    },
  );
});
