/** Numbers keep their digits on their way to and from others: webhooks, handlers, remote schemas, files, declared cases. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engine } from '../../harness/command-line.ts';
import { eachInFolder } from '../../harness/folder.ts';
import { answering, Handler } from '../../harness/handler.ts';
import { type RemoteServer, startRemoteServer } from '../../harness/remote-server.ts';
import { send, serve, type TestServer } from '../../harness/server.ts';

const ID = '9007199254740993';
const DECIMAL = '12345678901234567890.12345';
const NUMBERS = [ID, DECIMAL, '1e400', '-0', '0.1234567890123456789', '1E-400'];

const SCHEMA = `
  create table big (id bigint primary key, n numeric, f float8, j jsonb);
  create function given(x numeric, y bigint, z jsonb) returns setof big language sql stable
    as 'select y, x, x::text::float8, z';
  create function plus(b big, x numeric) returns numeric language sql stable as 'select b.n + x';
  insert into big values (${ID}, ${DECIMAL}, 0.1, '{"a": ${DECIMAL}}'), (9007199254740992, 0, 0, '{}');
`;

const folder = eachInFolder();
let server: TestServer;
let handler: Handler;
let remote: RemoteServer;

async function post(path: string, body: string, headers: Record<string, string> = {}, on = server) {
  const answer = await send(on, path, { body, headers });
  expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('"errors"')]);
  return answer.text;
}
const metadata = (type: string, args: string) => post('/v1/metadata', `{"type":"${type}","args":${args}}`);
const graphql = (query: string, variables = '{}', headers: Record<string, string> = {}, on = server) =>
  post('/v1/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`, headers, on);

beforeAll(async () => {
  handler = await new Handler().listen();
  remote = await startRemoteServer('scalar any type Query { echo(id: Float, in: any): any }', {});
  server = await serve({ sql: SCHEMA });
  await metadata('pg_track_table', '{"table":"big"}');
  await metadata('pg_track_function', '{"function":"given"}');
  await metadata('pg_add_computed_field', '{"table":"big","name":"plus","definition":{"function":"plus"}}');
});
afterAll(async () => {
  await server?.stop();
  await remote?.stop();
  handler?.close();
});

test('session variables in rules and presets', async () => {
  const permission = (type: string, body: string) =>
    metadata(`pg_create_${type}_permission`, `{"table":"big","role":"user","permission":${body}}`);
  await permission('select', '{"columns":["id"],"filter":{"id":{"_eq":"X-Engine-Id"}}}');
  await permission('insert', '{"columns":["id"],"check":{},"set":{"n":"X-Engine-N","j":"X-Engine-J"}}');
  const session = {
    'x-engine-role': 'user',
    'x-engine-id': ID,
    'x-engine-n': DECIMAL,
    'x-engine-j': `[${DECIMAL}]`,
  };
  expect(await graphql('{ big { id } }', '{}', session)).toBe(`{"data":{"big":[{"id":${ID}}]}}`);
  await graphql('mutation { insert_big(objects: {id: 1}) { affected_rows } }', '{}', session);
  expect(await server.database.query('select n::text, j::text from big where id = 1')).toEqual([
    { n: DECIMAL, j: `[${DECIMAL}]` },
  ]);
  await server.database.query('delete from big where id = 1');
});

test.each([
  ['variables', '$x', '$y', '{v: $x}', `{"x":${DECIMAL},"y":${ID}}`],
  ['a document', DECIMAL, ID, `{v: ${DECIMAL}}`, '{}'],
])('arguments of functions and of computed fields, from %s', async (_, x, y, z, variables) => {
  const declared = variables === '{}' ? '' : 'query ($x: numeric!, $y: bigint!)';
  const query = `${declared} { given(args: {x: ${x}, y: ${y}, z: ${z}}) { id n j plus(args: {x: ${x}}) } }`;
  expect(await graphql(query, variables)).toBe(
    `{"data":{"given":[{"id":${ID},"n":${DECIMAL},"j":{"v": ${DECIMAL}},"plus":24691357802469135780.24690}]}}`,
  );
});

test('numbers as strings, where that is asked for', async () => {
  const strings = await serve({ database: server.database, options: { STRINGIFY_NUMERIC_TYPES: 'true' } });
  const query = `query ($i: bigint!) { big(where: {id: {_in: [$i]}}) { id n f j } }`;
  for (const value of [ID, `"${ID}"`]) {
    const variables = `{"i":${value}}`;
    expect(await graphql(query, variables)).toBe(
      `{"data":{"big":[{"id":${ID},"n":${DECIMAL},"f":0.1,"j":{"a": ${DECIMAL}}}]}}`,
    );
    expect(await graphql(query, variables, {}, strings)).toBe(
      `{"data":{"big":[{"id":"${ID}","n":"${DECIMAL}","f":"0.1","j":{"a": ${DECIMAL}}}]}}`,
    );
  }
  await strings.stop();
});

test('rows in the payload of an event, and in what a template makes of it', async () => {
  const template = '{\\"n\\":{{$body.event.data.new.n}},\\"id\\":\\"{{$body.event.data.new.id}}\\"}';
  const transform = `{"version":2,"template_engine":"Kriti","url":"{{$base_url}}/{{$body.event.data.new.id}}","body":{"action":"transform","template":"${template}"}}`;
  const trigger = (name: string, more: string) =>
    metadata(
      'pg_create_event_trigger',
      `{"name":"${name}","table":"big","webhook":"${handler.url}/${name}","insert":{"columns":"*"}${more}}`,
    );
  await trigger('whole', '');
  await trigger('part', `,"request_transform":${transform}`);
  await server.database.query(`insert into big values (1${ID}, ${DECIMAL}, null, '[${ID}, 1e30]')`);
  const sent = (path: string) => handler.calls.find(({ url }) => url === path)?.body;
  await expect.poll(() => sent('/whole'), { timeout: 30_000 }).toContain(`"n": ${DECIMAL}`);
  expect(sent('/whole')).toContain(`"id": 1${ID}`);
  expect(sent('/whole')).toContain(`[${ID}, 1${'0'.repeat(30)}]`);
  await expect.poll(() => sent(`/part/1${ID}`), { timeout: 30_000 }).toBe(`{"n":${DECIMAL},"id":"1${ID}"}`);
  for (const name of ['whole', 'part']) await metadata('pg_delete_event_trigger', `{"name":"${name}"}`);
  await server.database.query(`delete from big where id = 1${ID}`);
});

test('what a webhook validates', async () => {
  await metadata(
    'pg_create_insert_permission',
    `{"table":"big","role":"checked","permission":{"columns":"*","check":{},"validate_input":{"type":"http","definition":{"url":"${handler.url}/validate"}}}}`,
  );
  const query = 'mutation ($o: [big_insert_input!]!) { insert_big(objects: $o) { affected_rows } }';
  const object = `{"id":1,"n":${DECIMAL},"j":[${NUMBERS}]}`;
  await graphql(query, `{"o":[${object}]}`, { 'x-engine-role': 'checked' });
  expect(handler.calls.find(({ url }) => url === '/validate')!.body).toContain(`"input":[${object}]`);
  expect(await server.database.query('select n::text from big where id = 1')).toEqual([{ n: DECIMAL }]);
  await server.database.query('delete from big where id = 1');
});

test('arguments and answers of remote schemas', async () => {
  await metadata('add_remote_schema', `{"name":"r","definition":{"url":"${remote.url}"}}`);
  remote.answer = () => `{"data":{"echo":[${NUMBERS}]}}`;
  const answer = `{"data":{"echo":[${NUMBERS}]}}`;
  const variables = `{"id":${DECIMAL},"in":[${NUMBERS}]}`;
  expect(await graphql('query ($id: Float, $in: any) { echo(id: $id, in: $in) }', variables)).toBe(answer);
  const { body } = remote.calls.at(-1)!;
  expect(body).toContain(DECIMAL);
  for (const number of NUMBERS) expect(body).toContain(number);
  expect(await graphql(`{ echo(id: ${DECIMAL}, in: {a: [${NUMBERS}]}) }`)).toBe(answer);
  for (const number of NUMBERS) expect(remote.calls.at(-1)!.body).toContain(number);
  remote.answer = undefined;
});

test('input and result of an asynchronous action', async () => {
  handler.answer = answering(`{"id":${ID},"any":[${ID},${DECIMAL}]}`);
  await metadata(
    'set_custom_types',
    '{"objects":[{"name":"Out","fields":[{"name":"id","type":"bigint"},{"name":"any","type":"jsonb"}]}]}',
  );
  await metadata(
    'create_action',
    `{"name":"later","definition":{"kind":"asynchronous","arguments":[{"name":"n","type":"numeric"},{"name":"any","type":"jsonb"}],"output_type":"Out","handler":"${handler.url}/later"}}`,
  );
  const query = 'mutation ($n: numeric, $any: jsonb) { later(n: $n, any: $any) }';
  const begun = JSON.parse(await graphql(query, `{"n":${DECIMAL},"any":[${ID}]}`)) as {
    data: { later: string };
  };
  const result = () => graphql(`{ later(id: "${begun.data.later}") { output { id any } } }`);
  await expect
    .poll(async () => (await result()).replaceAll(' ', ''), { timeout: 30_000 })
    .toBe(`{"data":{"later":{"output":{"id":${ID},"any":[${ID},${DECIMAL}]}}}}`);
  expect(handler.calls.find(({ url }) => url === '/later')!.body).toContain(
    `"input":{"n":${DECIMAL},"any":[${ID}]}`,
  );
  handler.answer = answering('{}');
});

test.each(['metadata', 'all.json'])('metadata that the command exports and applies, as %s', async (name) => {
  const filter = `{"_or":[{"id":{"_eq":${ID}}},{"n":{"_in":[${DECIMAL},1]}}]}`;
  const args = (role: string) =>
    `{"table":"big","role":"${role}","permission":{"columns":["id"],"filter":${filter}}}`;
  const role = name.replace('.', '_');
  await metadata('pg_create_select_permission', args(role));
  const command = (verb: string) =>
    engine('metadata', verb, '--endpoint', `http://127.0.0.1:${server.port}`, '--metadata', folder.at(name));
  expect(await command('export')).toMatchObject({ status: 0 });
  const exported = await metadata('export_metadata', '{}');
  await metadata('pg_drop_select_permission', `{"table":"big","role":"${role}"}`);
  expect((await command('diff')).stdout).toContain(ID);
  expect(await command('apply')).toMatchObject({ status: 0 });
  expect(await metadata('export_metadata', '{}')).toBe(exported);
  expect(await command('diff')).toMatchObject({ status: 0, stdout: 'No difference.\n' });
});

test('declared cases', async () => {
  await metadata(
    'pg_create_select_permission',
    '{"table":"big","role":"case","permission":{"columns":["id","n","j"],"filter":{"id":{"_eq":"X-Engine-Id"}}}}',
  );
  await engine(
    'metadata',
    'export',
    '--endpoint',
    `http://127.0.0.1:${server.port}`,
    '--metadata',
    folder.at('m.json'),
  );
  const declared = (id: string, n: string) => `- name: exact
  role: case
  session: { X-Engine-Id: ${ID} }
  query: "query ($i: bigint!) { big(where: {id: {_eq: $i}}) { id n } }"
  variables: { i: ${ID} }
  expect: { data: { big: [{ id: ${id}, n: ${n} }] } }
`;
  mkdirSync(folder.at('migrations'));
  writeFileSync(folder.at('migrations/1.sql'), SCHEMA);
  writeFileSync(folder.at('good.yaml'), declared(ID, DECIMAL));
  writeFileSync(folder.at('bad.yaml'), declared('9007199254740992', DECIMAL));
  expect(readFileSync(folder.at('m.json'), 'utf8')).toContain(ID);
  const run = (cases: string) =>
    engine(
      'test',
      '--metadata',
      folder.at('m.json'),
      '--cases',
      folder.at(cases),
      ...['--migrations', folder.at('migrations'), '--scratch', server.database.url, '--no-isolation'],
    );
  expect(await run('good.yaml')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('1 passed'),
  });
  expect(await run('bad.yaml')).toMatchObject({ status: 1 });
});
