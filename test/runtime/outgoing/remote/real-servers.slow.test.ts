/** Public GraphQL servers as remote schemas: what they print is a permission, and they refuse no document that leaves. */
import { buildSchema, printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  type RealServer,
  type Resolvers,
  realServersPresent,
  startApollo,
  startMercurius,
  startYoga,
} from '../../../harness/real-graphql-servers.ts';
import { send, serve } from '../../../harness/server.ts';

const SDL = `
  type Query {
    pets: [Pet!]!
    being: Being
    find(ids: [Int!], mood: Mood = GOOD, where: Where = {ratio: 1.0}, old: Int @deprecated(reason: "use ids")): String
  }
  interface Being { id: ID! }
  type Pet implements Being { id: ID! name: String }
  type Owner implements Being { id: ID! pets: [Pet!]! }
  enum Mood { GOOD BAD @deprecated(reason: "no") }
  input Where { ratio: Float, old: Int @deprecated(reason: "no") }
`;

const pets = [{ id: '1', name: 'Rex' }];
const RESOLVERS: Resolvers = {
  Query: {
    pets: () => pets,
    being: () => ({ __typename: 'Owner', id: '9', pets }),
    find: (_, args) => JSON.stringify(args),
  },
};

const SERVERS: readonly (readonly [string, (sdl: string, resolvers: Resolvers) => Promise<RealServer>])[] = [
  ['yoga', startYoga],
  ['Apollo Server', startApollo],
  ['mercurius', startMercurius],
];

describe.skipIf(!realServersPresent)('public GraphQL servers', () => {
  test.each(SERVERS)('%s', async (_, start) => {
    const remote = await start(SDL, RESOLVERS);
    const server = await serve({
      sql: `create table item (id integer primary key, ids int[]); insert into item values (1, '{1,2}'), (2, '{1,null}')`,
      options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
    });
    const run = async (type: string, args: object) =>
      expect([type, (await send(server, '/v1/metadata', { body: { type, args } })).text]).toEqual([
        type,
        '{"message":"success"}',
      ]);
    const ask = async (query: string, role = 'admin') => {
      const headers = { 'content-type': 'application/json', 'x-engine-role': role };
      return (await send(server, '/v1/graphql', { headers, body: { query } })).json;
    };
    await run('pg_track_table', { table: 'item' });
    await run('add_remote_schema', { name: 'r', definition: { url: remote.url } });
    await run('add_remote_schema_permissions', {
      remote_schema: 'r',
      role: 'reader',
      definition: { schema: printSchema(buildSchema(SDL)) },
    });
    for (const [name, lhs_fields, remote_field] of [
      ['found', ['ids'], { find: { arguments: { ids: '$ids' } } }],
      ['fixed', [], { being: { arguments: {} } }],
    ] as const)
      await run('pg_create_remote_relationship', {
        table: 'item',
        name,
        definition: { to_remote_schema: { remote_schema: 'r', lhs_fields, remote_field } },
      });
    for (const role of ['admin', 'reader'])
      expect(
        await ask(
          '{ pets { id @skip(if: true) } being { ... on Pet { id } ... on Owner { pets { ... @include(if: false) { id } } } } find(old: 1) }',
          role,
        ),
      ).toEqual({
        data: { pets: [{}], being: { pets: [{}] }, find: '{"mood":"GOOD","where":{"ratio":1},"old":1}' },
      });
    expect(await ask('{ item(order_by: {id: asc}) { found fixed { id @skip(if: true) } } }')).toEqual({
      data: {
        item: [
          { found: '{"ids":[1,2],"mood":"GOOD","where":{"ratio":1}}', fixed: {} },
          { found: null, fixed: {} },
        ],
      },
    });
    await server.stop();
    await remote.stop();
  });
});
