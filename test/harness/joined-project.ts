/**
 * Two remote schemas and two databases joined in every direction, and a server of them: `ticket` of the source `default`;
 * `owner`, `payment` and `grade` of the source `second`; the remote schemas `users` and `places`.
 */
import { expect } from 'vitest';
import { createTestDatabase } from './postgres.ts';
import { type RemoteServer, startRemoteServer } from './remote-server.ts';
import { send, startTestServer, type TestServer } from './server.ts';

export interface JoinedProject {
  readonly server: TestServer;
  readonly users: RemoteServer;
  readonly places: RemoteServer;
  /** Runs an operation of the metadata API, and expects the status. */
  metadata(type: string, args: object, status?: number): Promise<unknown>;
  /** The answer of a GraphQL request. */
  ask(query: string, role?: string, variables?: object): Promise<unknown>;
  /** Number of requests to users and to places since `forget`. */
  requests(): [users: number, places: number];
  /** Forgets requests and replaced answers; call it before each test. */
  forget(): void;
  stop(): Promise<void>;
}

export async function startJoinedProject(): Promise<JoinedProject> {
  const users = await startUsers();
  const places = await startPlaces();
  const [tickets, second] = [await createTickets(), await createSecond()];
  const server = await startTestServer(tickets, { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' });
  const metadata = async (type: string, args: object, status = 200): Promise<unknown> => {
    const answer = await send(server, '/v1/metadata', { body: { type, args } });
    expect([type, answer.status, answer.text]).toEqual([type, status, expect.any(String)]);
    return answer.json;
  };
  const configuration = { connection_info: { database_url: second } };
  await metadata('pg_add_source', { name: 'second', configuration });
  await metadata('pg_track_table', { table: 'ticket' });
  for (const table of ['owner', 'payment', 'grade'])
    await metadata('pg_track_table', { source: 'second', table, is_enum: table === 'grade' });
  await metadata('add_remote_schema', { name: 'users', definition: { url: users.url } });
  await metadata('add_remote_schema', { name: 'places', definition: { url: places.url } });
  for (const [name, definition] of Object.entries(TICKET_RELATIONSHIPS))
    await metadata('pg_create_remote_relationship', { table: 'ticket', name, definition });
  for (const [remote_schema, type_name, name, definition] of TYPE_RELATIONSHIPS)
    await metadata('create_remote_schema_remote_relationship', {
      remote_schema,
      type_name,
      name,
      definition,
    });
  return {
    server,
    users,
    places,
    metadata,
    ask: async (query, role = 'admin', variables = undefined) => {
      const headers = { 'content-type': 'application/json', 'x-engine-role': role };
      return (await send(server, '/v1/graphql', { headers, body: { query, variables } })).json;
    },
    requests: () => [users.calls.length, places.calls.length],
    forget: () => {
      for (const remote of [users, places]) {
        remote.calls.length = 0;
        remote.answer = undefined;
      }
    },
    stop: async () => {
      await server.stop();
      await Promise.all([users.stop(), places.stop()]);
    },
  };
}

const people: Readonly<Record<string, { id: string; name: string; cityId: number | null; level: string }>> = {
  1: { id: '1', name: 'Ann', cityId: 10, level: 'HIGH' },
  2: { id: '2', name: 'Bob', cityId: 20, level: 'LOW' },
  3: { id: '3', name: 'Cid', cityId: null, level: 'LOW' },
};

interface Where {
  readonly id?: string;
  readonly name?: string;
  readonly ids?: readonly string[];
}

function startUsers(): Promise<RemoteServer> {
  const sdl = `
    type Query { user(id: ID!): User, find(where: Where): [User!]!, group(name: String!): Group, level(of: Level): String }
    enum Level { LOW HIGH }
    input Where { id: ID, name: String, ids: [ID!] }
    type Group { members(limit: Int, of: Int): [User!]! }
    type User { id: ID!, name: String, cityId: Int, level: Level }
  `;
  return startRemoteServer(sdl, {
    user: ({ id }: { id: string }) => people[id],
    find: ({ where }: { where: Where }) =>
      Object.values(people).filter(
        ({ id, name }) =>
          (where.id === undefined || where.id === id) &&
          (where.name === undefined || where.name === name) &&
          (where.ids?.includes(id) ?? true),
      ),
    group: ({ name }: { name: string }) =>
      name === 'none'
        ? null
        : { members: ({ of, limit }: { of: number; limit?: number }) => [people[of]].slice(0, limit) },
    level: ({ of }: { of: string }) => `level ${of}`,
  });
}

function startPlaces(): Promise<RemoteServer> {
  const sdl = `
    type Query { city(id: Int!): City, spot(key: String): Spot, spots: [Spot!]! }
    type City { id: Int!, name: String! }
    interface Spot { key: String! }
    type Cafe implements Spot { key: String!, cityId: Int }
    type Park implements Spot { key: String!, trees: Int }
  `;
  return startRemoteServer(sdl, {
    city: ({ id }: { id: number }) => ({ id, name: `city ${id}` }),
    spot: ({ key }: { key: string }) => ({ __typename: 'Park', key, trees: 3 }),
    spots: () => [
      { __typename: 'Cafe', key: 'c', cityId: 10 },
      { __typename: 'Park', key: 'p', trees: 3 },
    ],
  });
}

function createTickets() {
  return createTestDatabase(`
    create table ticket (id integer primary key, owner bigint, level text, note text);
    insert into ticket values
      (1, 1, 'HIGH', 'a'), (2, 1, 'LOW', 'b'), (3, 2, null, 'c'), (4, null, 'LOW', 'd'), (5, 77, 'LOW', 'e');
    create function tickets_of(wanted bigint) returns setof ticket stable language sql as
      'select * from ticket where owner = wanted order by id';
    create function owner_text(given ticket) returns text stable language sql as 'select given.owner::text';
    create schema shop;
    create table shop.cart (id integer primary key, owner bigint);
    insert into shop.cart values (1, 2);
  `);
}

/** @returns its address */
async function createSecond(): Promise<string> {
  const { url } = await createTestDatabase(`
    create table grade (value text primary key, comment text);
    insert into grade values ('HIGH', null), ('LOW', null);
    create table owner (id integer primary key, name text, city integer, grade text references grade);
    insert into owner values (1, 'first', 10, 'LOW'), (2, 'second', 20, 'HIGH'), (3, 'third', 30, 'LOW');
    create table payment (id integer primary key, ticket integer, cents integer);
    insert into payment values (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 9, 99);
    create index on payment (ticket);
  `);
  return url;
}

const toRemote = (remote_schema: string, lhs_fields: string[], remote_field: object) => ({
  to_remote_schema: { remote_schema, lhs_fields, remote_field },
});
const toSource = (source: string, relationship_type: string, table: string, field_mapping: object) => ({
  to_source: { source, relationship_type, table, field_mapping },
});

const TICKET_RELATIONSHIPS = {
  user: toRemote('users', ['owner'], { user: { arguments: { id: '$owner' } } }),
  found: toRemote('users', ['owner'], { find: { arguments: { where: { id: '$owner' } } } }),
  listed: toRemote('users', ['owner'], { find: { arguments: { where: { ids: ['$owner'] } } } }),
  member: toRemote('users', ['note', 'owner'], {
    group: { arguments: { name: '$note' }, field: { members: { arguments: { of: '$owner' } } } },
  }),
  levelled: toRemote('users', ['level'], { level: { arguments: { of: '$level' } } }),
  holder: toSource('second', 'object', 'owner', { owner: 'id' }),
  payments: toSource('second', 'array', 'payment', { id: 'ticket' }),
  graded: toSource('second', 'array', 'owner', { level: 'grade' }),
};

const TYPE_RELATIONSHIPS = [
  ['users', 'User', 'city', toRemote('places', ['cityId'], { city: { arguments: { id: '$cityId' } } })],
  ['users', 'User', 'tickets', toSource('default', 'array', 'ticket', { id: 'owner' })],
  ['places', 'Cafe', 'owners', toSource('second', 'array', 'owner', { cityId: 'city' })],
] as const;
