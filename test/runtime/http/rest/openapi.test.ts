/** The OpenAPI document for generators: valid, and right about what the server takes and answers. */
import { validate } from '@apidevtools/swagger-parser';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRequestProject } from '../../../harness/request-project.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

let server: TestServer;
let strings: TestServer;
// biome-ignore lint/suspicious/noExplicitAny: a document as JSON
let document: any;

beforeAll(async () => {
  const { database, metadata } = await readRequestProject('served/openapi');
  server = await serve({ database, metadata });
  strings = await serve({ database, options: { STRINGIFY_NUMERIC_TYPES: 'true' } });
  document = await documentOf(server);
});
afterAll(() => Promise.all([server?.stop(), strings?.stop()]));

async function documentOf(from: TestServer) {
  return (await send(from, '/api/openapi.json', { method: 'GET' })).json;
}

/** Every schema of a document, with its place. */
function eachObject(
  value: unknown,
  visit: (object: Record<string, unknown>, path: string) => void,
  path = '',
): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, path);
  for (const [key, inner] of Object.entries(value)) eachObject(inner, visit, `${path}/${key}`);
}

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { in: string; name: string; required: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  readonly responses: Record<string, unknown>;
};
const operations = (): [string, Operation][] =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
const operation = (name: string) => operations().find(([key]) => key === name)![1];

test('it is valid, and types can be made of it', async () => {
  await expect(validate(structuredClone(document))).resolves.toBeDefined();
  await expect(validate((await documentOf(strings)) as never)).resolves.toBeDefined();
  expect(astToString(await openapiTypescript(structuredClone(document)))).toContain('get_items: ');
});

test('names are those that OpenAPI allows, and each operation has its own', () => {
  const components = document.components as Record<string, object>;
  for (const names of Object.values(components))
    for (const name of Object.keys(names)) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['get_items', 'post_items', 'get_item', 'delete_change_item']));
  for (const id of ids) expect(id).toMatch(/^[a-z]+_\w+$/);
  eachObject(document, ({ $ref }, path) => {
    if (typeof $ref !== 'string') return;
    const [, , kind = '', name = ''] = $ref.split('/');
    expect(components[kind], path).toHaveProperty([name]);
  });
});

test('an operation keeps its id when others come and go', async () => {
  const one = operation('patch /api/rest/items/{id}').operationId;
  expect(one).toMatch(/^patch_change_item_[0-9a-f]{8}$/);
  expect(operation('put /api/rest/items/{id}').operationId).toBe(one.replace('patch', 'put'));
});

test('each variable is in one place, and required where the operation requires it', () => {
  const places = (name: string) => {
    const { parameters = [], requestBody } = operation(name);
    const body = requestBody?.content['application/json']?.schema as
      | { properties: object; required?: string[] }
      | undefined;
    return {
      parameters: parameters.map((each) => `${each.in} ${each.name}${each.required ? '!' : ''}`),
      ...(body && {
        body: Object.keys(body.properties).map((each) => each + (body.required?.includes(each) ? '!' : '')),
        bodyRequired: requestBody!.required,
      }),
    };
  };
  expect(places('get /api/rest/items')).toEqual({
    parameters: ['query limit', 'query where', 'query tags', 'query order'],
  });
  expect(places('post /api/rest/items')).toEqual({
    parameters: [],
    body: ['limit', 'where', 'tags', 'order'],
    bodyRequired: false,
  });
  expect(places('get /api/rest/items/{id}')).toEqual({ parameters: ['path id!'] });
  // Its own path says :key.
  expect(places('patch /api/rest/items/{id}')).toEqual({
    parameters: ['path id!'],
    body: ['set!', 'data'],
    bodyRequired: true,
  });
  expect(places('delete /api/rest/items/{id}')).toEqual({ parameters: ['path id!'] });
  expect(places('post /api/rest/add')).toEqual({ parameters: [], body: ['objects!'], bodyRequired: true });
  expect(places('get /api/rest/a%20b/%7Bx%7D/%C3%BC')).toEqual({ parameters: [] });
});

test('types are those of the values', () => {
  const schema = (name: string, variable: string) =>
    operation(name).parameters!.find((each) => each.name === variable)!.schema;
  expect(schema('get /api/rest/items', 'limit')).toEqual({ type: 'integer', format: 'int32', default: 10 });
  expect(schema('get /api/rest/items', 'where')).toEqual({ type: 'string', default: '{}' });
  expect(schema('get /api/rest/items', 'tags')).toEqual({
    type: 'array',
    items: { type: 'string' },
    default: [],
  });
  expect(schema('get /api/rest/items', 'order')).toMatchObject({ type: 'array', items: { type: 'string' } });
  expect(schema('get /api/rest/conditional', 'status')).toEqual({
    type: 'string',
    enum: ['closed', 'open'],
    default: 'open',
  });
  expect(schema('get /api/rest/unused', 'b')).toEqual({ type: 'string', default: '{"k":1}' });
  const { properties } =
    document.paths['/api/rest/items'].get.responses[200].content['application/json'].schema;
  const item = properties.item.items;
  expect(item.required).toEqual(Object.keys(item.properties));
  expect(item.properties).toMatchObject({
    id: { type: 'integer', format: 'int64' },
    price: { type: 'number', nullable: true },
    status: { type: 'string', nullable: true, enum: ['closed', 'open', null] },
    tags: { type: 'array', items: { type: 'string' } },
    data: {},
    at: { type: 'string', format: 'date-time' },
    group: {
      type: 'object',
      nullable: true,
      required: ['id', 'name'],
      properties: { id: { format: 'uuid' } },
    },
  });
  const conditional = document.paths['/api/rest/conditional'].get.responses[200].content['application/json'];
  expect(Object.keys(conditional.schema.properties.item.items.properties)).toEqual(['id', 'name', 'day']);
  expect(conditional.schema.properties.item.items.required).toBeUndefined();
});

test('failures have the shape of all errors', async () => {
  const error = document.components.schemas['rest.Error'];
  for (const [, { responses }] of operations())
    for (const status of ['400', '401', '429', '500', '503'])
      expect(responses[status]).toEqual({ $ref: `#/components/responses/rest.${status}` });
  expect(Object.keys(operation('post /api/rest/add').responses)).toEqual(
    expect.arrayContaining(['413', '415']),
  );
  const { json, headers } = await send(server, '/api/rest/items?limit=x', { method: 'GET' });
  expect(Object.keys(json as object)).toEqual(error.required);
  expect(headers['x-request-id']).toBeDefined();
});

describe('answers fit', () => {
  /** Whether a value is one of a schema, which is of the few kinds that the document has. */
  function misfits(schema: Record<string, unknown>, value: unknown, path = '$'): string[] {
    if (typeof schema.$ref === 'string')
      return misfits(document.components.schemas[schema.$ref.split('/').at(-1)!], value, path);
    if (value === null)
      return schema.nullable === true || schema.type === undefined ? [] : [`${path} is null`];
    if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return [`${path} is not in the enum`];
    switch (schema.type) {
      case undefined:
        return [];
      case 'array':
        return (value as unknown[]).flatMap((item, index) =>
          misfits(schema.items as Record<string, unknown>, item, `${path}[${index}]`),
        );
      case 'object': {
        const properties = schema.properties as Record<string, Record<string, unknown>>;
        const object = value as Record<string, unknown>;
        const missing = ((schema.required as string[]) ?? []).filter((name) => !(name in object));
        return [
          ...missing.map((name) => `${path}.${name} is missing`),
          ...Object.entries(object).flatMap(([name, inner]) =>
            properties[name]
              ? misfits(properties[name], inner, `${path}.${name}`)
              : [`${path}.${name} is new`],
          ),
        ];
      }
      case 'integer':
        return Number.isInteger(value) ? [] : [`${path} is no integer`];
      default:
        return typeof value === schema.type ? [] : [`${path} is no ${schema.type}`];
    }
  }

  test.each([
    ['get', '/api/rest/items', ''],
    ['get', '/api/rest/items', '?where={"id":{"_eq":1}}&limit=1&tags=a&tags=b'],
    ['post', '/api/rest/items', '{"order":[{"name":"desc"}],"limit":1}'],
    ['get', '/api/rest/items/{id}', ''],
    ['patch', '/api/rest/items/{id}', '{"set":{"name":"new"},"data":{"x":1}}'],
    ['post', '/api/rest/add', '{"objects":[{"name":"three","status":"open"},{"name":"four"}]}'],
    ['get', '/api/rest/conditional', '?long=true&status=open&columns=name&columns=id'],
    ['get', '/api/rest/conditional', ''],
    ['get', '/api/rest/a%20b/%7Bx%7D/%C3%BC', ''],
    ['get', '/api/rest/unused', '?b={"a":1}&a=5'],
    ['delete', '/api/rest/items/{id}', ''],
  ])('%s %s %s', async (method, path, given) => {
    const isBody = given.startsWith('{');
    const url = path.replace('{id}', '1') + (isBody ? '' : given.replaceAll('"', '%22'));
    const { status, json } = await send(server, url, {
      method: method.toUpperCase(),
      ...(isBody && { body: given }),
    });
    expect({ status, json }).toMatchObject({ status: 200 });
    const { schema } = document.paths[path][method].responses[200].content['application/json'];
    expect(misfits(schema, json)).toEqual([]);
  });

  test('also where numbers are strings', async () => {
    const { paths } = (await documentOf(strings)) as typeof document;
    const { schema } = paths['/api/rest/items'].get.responses[200].content['application/json'];
    const { json } = await send(strings, '/api/rest/items', { method: 'GET' });
    expect(misfits(schema, json)).toEqual([]);
  });
});
