/** A value in a path or query is the same as in the body of a POST, for every kind of type. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { replaceMetadata, send, startTestServer, type TestServer } from '../../../harness/server.ts';

/** Column by GraphQL type of the variable; a column each, so that the answer is the value that was stored. */
const COLUMNS: Readonly<Record<string, string>> = {
  Int: 'int',
  'Int!': 'int',
  smallint: 'smallint',
  bigint: 'bigint',
  numeric: 'numeric',
  float8: 'float8',
  Float: 'float4',
  money: 'money',
  Boolean: 'boolean',
  'Boolean!': 'boolean',
  String: 'text',
  'String!': 'text',
  bpchar: 'char(3)',
  uuid: 'uuid',
  date: 'date',
  timestamptz: 'timestamptz',
  time: 'time',
  interval: 'interval',
  bytea: 'bytea',
  inet: 'inet',
  xml: 'xml',
  int4range: 'int4range',
  mood: 'mood',
  json: 'json',
  jsonb: 'jsonb',
  'jsonb!': 'jsonb',
  'document!': 'document',
  '[Int!]': 'int[]',
  '[Int!]!': 'int[]',
  '[String!]': 'text[]',
  '[Boolean!]': 'boolean[]',
  '[numeric!]': 'numeric[]',
  '[uuid!]': 'uuid[]',
  '[jsonb!]': 'jsonb[]',
};
const columns = Object.entries(COLUMNS).map(([type, sql], index) => ({ type, sql, name: `c${index}` }));
/** GraphQL name of the type in documents: a domain is read as the type below it. */
const declared = (type: string) => type.replace('document', 'jsonb');
const slug = (type: string) => `v${columns.findIndex((column) => column.type === type)}`;

const DEFAULTS =
  'query ($limit: Int! = 2, $id: Int = 1, $where: held_bool_exp = {}) { held_aggregate(where: {_and: [{id: {_gte: $id}}, $where]}, limit: $limit) { aggregate { count } } }';
const OBJECTS =
  'mutation ($objects: [held_insert_input!]!) { insert_held(objects: $objects) { returning { number data } } }';
const OBJECT = 'mutation ($object: held_insert_input!) { insert_held_one(object: $object) { number data } }';
const ODD =
  'query ($__proto__: Int, $constructor: Int) { held(where: {_or: [{id: {_eq: $__proto__}}, {id: {_eq: $constructor}}]}) { id } }';

let server: TestServer;

beforeAll(async () => {
  const database = await createTestDatabase(`
    create type mood as enum ('sad', 'very happy');
    create domain document as jsonb;
    create table held (id serial primary key, number int, data jsonb, ${columns.map(({ name, sql }) => `${name} ${sql}`).join(', ')});
    insert into held (number) select 1 from generate_series(1, 4);`);
  server = await startTestServer(database);
  const queries = [
    ...columns.map(({ type, name }) => ({
      name: slug(type),
      query: `mutation ($v: ${declared(type)}) { insert_held_one(object: {${name}: $v}) { ${name} } }`,
    })),
    { name: 'defaults', query: DEFAULTS },
    { name: 'objects', query: OBJECTS },
    { name: 'object', query: OBJECT },
    { name: 'odd', query: ODD },
  ];
  const endpoint = (name: string, url: string, query: string) => ({
    name,
    url,
    methods: ['GET', 'POST'],
    definition: { query: { collection_name: 'all', query_name: query } },
  });
  await replaceMetadata(server, {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } } },
        tables: [{ table: 'held' }],
      },
    ],
    query_collections: [{ name: 'all', definition: { queries } }],
    rest_endpoints: [
      ...queries.map(({ name }) => endpoint(name, `query/${name}`, name)),
      ...columns.map(({ type }) => endpoint(`path ${slug(type)}`, `path/${slug(type)}/:v`, slug(type))),
    ],
  });
});
afterAll(() => server?.stop());

const get = async (path: string) => {
  const { status, text } = await send(server, `/api/rest/${path}`, { method: 'GET' });
  return { status, text };
};
const post = async (path: string, body: string, type = 'application/json') => {
  const { status, text } = await send(server, `/api/rest/${path}`, {
    headers: { 'content-type': type },
    body,
  });
  return { status, text };
};

const UUID7 = '01928f3c-6b1e-7c7a-9d0e-3f4a5b6c7d8e';

/** Type, text, and the same value in a body as JSON. */
const SAME: readonly (readonly [type: string, text: string, json: string])[] = [
  ['Int', '0', '0'],
  ['Int!', '-2147483648', '-2147483648'],
  ['Int', '1e3', '1e3'],
  ['Int', '7.0', '7.0'],
  ['Int', '-0', '-0'],
  ['smallint', '32767', '32767'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['bigint', '-9007199254740993', '"-9007199254740993"'],
  ['numeric', '12345678901234567890.123456789012345678', '12345678901234567890.123456789012345678'],
  ['numeric', '1.50', '1.50'],
  ['numeric', 'NaN', '"NaN"'],
  ['numeric', '1e-30', '1e-30'],
  ['float8', '0.1', '0.1'],
  ['float8', '-Infinity', '"-Infinity"'],
  ['float8', '1.7976931348623157e308', '1.7976931348623157e308'],
  ['Float', '0.25', '0.25'],
  ['Float', 'NaN', '"NaN"'],
  ['money', '12.34', '"12.34"'],
  ['Boolean', 'true', 'true'],
  ['Boolean!', 'false', 'false'],
  ['String', 'null', '"null"'],
  ['String', 'true', '"true"'],
  ['String', '{"a":1}', '"{\\"a\\":1}"'],
  ['String', '"quoted"', '"\\"quoted\\""'],
  ['String', '[1]', '"[1]"'],
  ['String', ' a  b ', '" a  b "'],
  ['String', 'a+b&c=d;e/f?g#h%20%', '"a+b&c=d;e/f?g#h%20%"'],
  ['String', 'ä 田中 🎈\n\t\\', '"ä 田中 🎈\\n\\t\\\\"'],
  ['String', 'x'.repeat(3000), `"${'x'.repeat(3000)}"`],
  ['String!', '0', '"0"'],
  ['bpchar', 'ab', '"ab"'],
  ['uuid', UUID7, `"${UUID7}"`],
  ['uuid', UUID7.toUpperCase(), `"${UUID7}"`],
  ['date', '2026-02-28', '"2026-02-28"'],
  ['date', 'infinity', '"infinity"'],
  ['timestamptz', '2026-02-28T12:00:00+05:30', '"2026-02-28T12:00:00+05:30"'],
  ['time', '23:59:59.5', '"23:59:59.5"'],
  ['interval', '1 day 02:03', '"1 day 02:03"'],
  ['bytea', '\\xdeadbeef', '"\\\\xdeadbeef"'],
  ['inet', '2001:db8::/32', '"2001:db8::/32"'],
  ['xml', '<a b="c">&amp;</a>', '"<a b=\\"c\\">&amp;</a>"'],
  ['int4range', '[1,5)', '"[1,5)"'],
  ['mood', 'very happy', '"very happy"'],
  ['json', '{"k":1}', '{"k":1}'],
  ['jsonb', '{"k":1}', '{"k":1}'],
  ['jsonb', '[1,"2",null,{"a":[]}]', '[1,"2",null,{"a":[]}]'],
  ['jsonb', '"text"', '"text"'],
  ['jsonb', '12345678901234567890.10', '12345678901234567890.10'],
  ['jsonb', '{"n":123456789012345678901234567890}', '{"n":123456789012345678901234567890}'],
  ['json', '{"n":1.50,"n":-0}', '{"n":1.50,"n":-0}'],
  ['jsonb', 'true', 'true'],
  ['jsonb', 'null', 'null'],
  ['jsonb!', ' {"ä": "🎈"} ', '{"ä":"🎈"}'],
  ['document!', '{"deep":{"er":[{}]}}', '{"deep":{"er":[{}]}}'],
  ['[Int!]', '[1,2,3]', '[1,2,3]'],
  ['[Int!]!', '[]', '[]'],
  ['[Int!]', '5', '[5]'],
  ['[String!]', '["a,b","{c}","\\"d\\""]', '["a,b","{c}","\\"d\\""]'],
  ['[String!]', 'a,b', '["a,b"]'],
  ['[Boolean!]', '[true,false]', '[true,false]'],
  ['[numeric!]', '[1.10,12345678901234567890]', '[1.10,12345678901234567890]'],
  ['[uuid!]', UUID7, `["${UUID7}"]`],
  ['[jsonb!]', '[{"a":1},"x"]', '[{"a":1},"x"]'],
  ['[jsonb!]', '{"a":1}', '[{"a":1}]'],
];

describe('a value of an address is the one of a body', () => {
  test.each(SAME)('%s %s', async (type, text, json) => {
    const expected = await post(`query/${slug(type)}`, `{"v":${json}}`);
    expect(expected.status).toBe(200);
    expect(await get(`query/${slug(type)}?v=${encodeURIComponent(text)}`)).toEqual(expected);
    expect(await get(`query/${slug(type)}?${new URLSearchParams({ v: text })}`)).toEqual(expected);
    expect(await get(`path/${slug(type)}/${encodeURIComponent(text)}`)).toEqual(expected);
    const form = 'application/x-www-form-urlencoded';
    expect(await post(`query/${slug(type)}`, `v=${encodeURIComponent(text)}`, form)).toEqual(expected);
  });
});

describe('what only a query or form can write', () => {
  test.each([
    ['Int', 'v=', 'null'],
    ['Int', 'v', 'null'],
    ['Int', '', 'null'],
    ['Int', 'v=1&v=2', '2'],
    ['String', 'v=', 'null'],
    ['String!', 'v=', '""'],
    ['String', 'v=a+b%2Bc', '"a b+c"'],
    ['String', 'v=a=b=c', '"a=b=c"'],
    ['String', '&&v=a&', '"a"'],
    ['String', '%76=a', '"a"'],
    ['Boolean', 'v', 'true'],
    ['Boolean', 'v=', 'true'],
    ['Boolean!', 'v', 'true'],
    ['jsonb', 'v=', 'null'],
    ['mood', 'v=', 'null'],
    ['[Int!]', 'v=', 'null'],
    ['[Int!]', 'v=1&v=2', '[1,2]'],
    ['[String!]', 'v=[a]&v=b', '["[a]","b"]'],
    ['[String!]', 'v=a&v=', '["a",""]'],
    ['[String!]', 'v=a+b&v=c%26d', '["a b","c&d"]'],
    ['[Boolean!]', 'v&v=false', '[true,false]'],
    ['[numeric!]', 'v=1.10&v=12345678901234567890', '[1.10,12345678901234567890]'],
    ['[jsonb!]', 'v={"a":1}&v=[2]', '[{"a":1},[2]]'],
  ])('%s ?%s', async (type, search, json) => {
    const expected = await post(`query/${slug(type)}`, `{"v":${json}}`);
    expect(expected.status).toBe(200);
    const path = `query/${slug(type)}`;
    expect(await get(`${path}?${search.replaceAll('"', '%22')}`)).toEqual(expected);
    expect(await post(path, search, 'application/x-www-form-urlencoded; charset=utf-8')).toEqual(expected);
  });
});

test('input objects and defaults are read from addresses as well', async () => {
  const object = '{"number":5,"data":{"n":12345678901234567890}}';
  const one = await post('query/object', `{"object":${object}}`);
  expect(one.text).toBe('{"insert_held_one":{"number":5,"data":{"n": 12345678901234567890}}}');
  expect(await get(`query/object?object=${encodeURIComponent(object)}`)).toEqual(one);
  const several = await post('query/objects', `{"objects":[${object},${object}]}`);
  const parameter = `objects=${encodeURIComponent(object)}`;
  expect(several.status).toBe(200);
  expect(await get(`query/objects?${parameter}&${parameter}`)).toEqual(several);
  expect(await get(`query/objects?objects=${encodeURIComponent(`[${object},${object}]`)}`)).toEqual(several);
  for (const search of [
    '',
    '?limit=2',
    '?id=',
    '?where=',
    '?where={}',
    '?where=%7B%22id%22:%7B%22_gt%22:0%7D%7D',
  ])
    expect((await get(`query/defaults${search}`)).text).toBe('{"held_aggregate":{"aggregate":{"count":2}}}');
  expect(JSON.parse((await get('query/odd?__proto__=1&constructor=2')).text)).toEqual({
    held: [{ id: 1 }, { id: 2 }],
  });
});

describe('what does not fit', () => {
  test.each([
    ['Int', 'v=1.5', 'the variable "v" is declared as Int, which the value "1.5" does not fit'],
    ['Int', 'v=null', 'which the value "null" does not fit'],
    ['Int', 'v=0x10', 'which the value "0x10" does not fit'],
    ['Int', 'v=%EF%BC%91', 'does not fit'],
    ['Int!', 'v=', 'is declared as Int!, which the value "" does not fit'],
    ['Int', 'v=NaN', 'does not fit'],
    ['float8', 'v=infinity', 'does not fit'],
    ['numeric', 'v=1_000', 'does not fit'],
    ['Boolean', 'v=TRUE', 'does not fit'],
    ['Boolean', 'v=1', 'does not fit'],
    ['jsonb', 'v=hello', 'which the value "hello" does not fit: it is read as JSON'],
    ['jsonb', "v={'a':1}", 'it is read as JSON'],
    ['jsonb!', 'v=', 'it is read as JSON'],
    ['json', 'v=NaN', 'it is read as JSON'],
    ['jsonb', `v=${'['.repeat(600)}`, 'it is read as JSON'],
    ['[Int!]', 'v=[1,', 'it is read as JSON'],
    ['[Int!]', 'v=1,2', 'which the value "1,2" does not fit'],
    ['[Int!]', 'v=1&v=', 'which the value "" does not fit'],
    ['[Int!]!', 'v=', 'which the value "" does not fit'],
    ['String', 'v=%zz', 'the query of the address is not valid percent-encoding: %zz'],
    ['String', 'v=100%', 'the query of the address is not valid percent-encoding: 100%'],
    ['String', 'v=%ff', 'the query of the address is not valid percent-encoding: %ff'],
    ['String', '%ff=1', 'the query of the address is not valid percent-encoding: %ff'],
    ['String', 'w=1', 'Unexpected variable w'],
    ['String', 'toString=1', 'Unexpected variable toString'],
    ['String', '=1', 'Unexpected variable '],
  ])('%s ?%s', async (type, search, message) => {
    const { status, text } = await get(`query/${slug(type)}?${search.replaceAll('"', '%22')}`);
    expect(JSON.parse(text)).toEqual({
      path: '$',
      error: expect.stringContaining(message),
      code: 'bad-request',
    });
    expect(status).toBe(400);
  });

  test.each([
    ['object', 'object=[]', 'it is a JSON object'],
    ['object', 'object=5', 'it is a JSON object'],
    ['object', 'object={c0:1}', 'it is read as JSON'],
    ['objects', 'objects=1&objects={}', 'it is a JSON object'],
  ])('%s ?%s', async (name, search, message) => {
    expect(JSON.parse((await get(`query/${name}?${search}`)).text)).toMatchObject({
      error: expect.stringContaining(message),
      code: 'bad-request',
    });
  });

  test.each([
    ['text/xml', '<v>1</v>', 415, 'a body of type text/xml is not read'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\n\r\n1\r\n--x--',
      415,
      'a body of type multipart/form-data is',
    ],
    ['application/json', '{"v":', 400, 'the request body is not JSON'],
    ['application/vnd.api+json', '{"v":', 400, 'the request body is not JSON'],
    ['', 'v', 415, 'the header Content-Type is missing or is no media type'],
    ['application/json', '[1]', 400, 'the request body has to be a JSON object'],
    ['text/plain', '7', 400, 'the request body has to be a JSON object'],
    ['application/x-www-form-urlencoded', 'v=%zz', 400, 'the form is not valid percent-encoding: %zz'],
  ])('a body of type %s: %s', async (type, body, status, message) => {
    const answer = await post(`query/${slug('Int')}`, body, type);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      path: '$',
      error: expect.stringContaining(message),
      code: 'bad-request',
    });
  });

  test('a body without a type is JSON', async () => {
    const answer = await send(server, `/api/rest/query/${slug('Int')}`, { body: '{"v":3}' });
    expect(answer.text).toBe('{"insert_held_one":{"c0":3}}');
  });
});
