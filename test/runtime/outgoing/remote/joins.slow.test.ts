/**
 * Random queries over two databases and two public GraphQL servers, joined in every direction, compared with an oracle that
 * looks up row by row. The servers count requests: each gets one for each level that has anything to look up.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import {
  type RealServer,
  realServersPresent,
  startMercurius,
  startYoga,
} from '../../../harness/real-graphql-servers.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

type Remote = 'people' | 'places';
type Row = Readonly<Record<string, string | number | null | readonly string[]>>;
type TypeName = 'ticket' | 'account' | 'payment' | 'User' | 'City';

const CASES = 200;

/** mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const next = random(20_261_123);
const upTo = (count: number) => Math.floor(next() * count);
const maybe = (value: number) => (next() < 0.2 ? null : value);

const DATA: Readonly<Record<TypeName, readonly Row[]>> = {
  ticket: rows(30, (id) => ({ id, owner: maybe(upTo(12)), city: maybe(upTo(8)), note: `note "${id}"` })),
  account: rows(9, (id) => ({ id, name: `account ${id}`, city: maybe(upTo(8)) })),
  payment: rows(40, (id) => ({ id, ticket: upTo(35), cents: upTo(1000) })),
  User: rows(10, (id) => ({
    id: String(id),
    name: next() < 0.2 ? null : `user\n${id}`,
    cityId: maybe(upTo(8)),
    friends: Array.from({ length: upTo(3) }, () => String(1 + upTo(10))),
  })),
  City: rows(6, (id) => ({ id, name: `city ${id}` })),
};

function rows(count: number, row: (id: number) => Row): Row[] {
  return Array.from({ length: count }, (_, index) => row(index + 1));
}

const byId = (type: TypeName, id: unknown) => DATA[type].find((row) => String(row.id) === String(id));

interface Join {
  readonly target: TypeName;
  readonly key: string;
  /** The target's field that is compared. */
  readonly with: string;
  readonly isList?: true;
  /** The remote schema that is asked. */
  readonly remote?: Remote;
}

const SCALARS: Readonly<Record<TypeName, readonly string[]>> = {
  ticket: ['id', 'owner', 'note'],
  account: ['id', 'name', 'city'],
  payment: ['id', 'cents'],
  User: ['id', 'name', 'cityId'],
  City: ['id', 'name'],
};

const JOINS: Readonly<Record<TypeName, Readonly<Record<string, Join>>>> = {
  ticket: {
    user: { target: 'User', key: 'owner', with: 'id', remote: 'people' },
    place: { target: 'City', key: 'city', with: 'id', remote: 'places' },
    account: { target: 'account', key: 'owner', with: 'id' },
    payments: { target: 'payment', key: 'id', with: 'ticket', isList: true },
  },
  account: {
    place: { target: 'City', key: 'city', with: 'id', remote: 'places' },
    user: { target: 'User', key: 'id', with: 'id', remote: 'people' },
    tickets: { target: 'ticket', key: 'id', with: 'owner', isList: true },
  },
  payment: { ticketRow: { target: 'ticket', key: 'ticket', with: 'id' } },
  User: {
    city: { target: 'City', key: 'cityId', with: 'id', remote: 'places' },
    account: { target: 'account', key: 'id', with: 'id' },
    tickets: { target: 'ticket', key: 'id', with: 'owner', isList: true },
  },
  City: { accounts: { target: 'account', key: 'id', with: 'city', isList: true } },
};

interface Selected {
  readonly alias: string;
  readonly name: string;
  /** Absent for scalars. */
  readonly below?: { readonly type: TypeName; readonly fields: readonly Selected[] };
}

let aliases = 0;

function select(type: TypeName, depth: number): Selected[] {
  const list: Selected[] = [];
  const add = (name: string, target?: TypeName) => {
    aliases += 1;
    const alias = next() < 0.3 ? `a${aliases}` : name;
    if (list.some((each) => each.alias === alias)) return;
    list.push({ alias, name, ...(target && { below: { type: target, fields: select(target, depth + 1) } }) });
  };
  for (const name of SCALARS[type]) if (next() < 0.5) add(name);
  if (depth < 4) {
    for (const [name, { target }] of Object.entries(JOINS[type])) {
      if (next() < 0.45 - depth * 0.05) add(name, target);
      if (next() < 0.1) add(name, target);
    }
    if (type === 'User' && next() < 0.4) add('friends', 'User');
  }
  if (list.length === 0) add('id');
  return list;
}

function print(type: TypeName, fields: readonly Selected[]): string {
  return fields
    .map(({ alias, name, below }) => {
      const order = JOINS[type][name]?.isList ? '(order_by: {id: asc})' : '';
      return `${alias}: ${name}${below ? `${order} { ${print(below.type, below.fields)} }` : ''}`;
    })
    .join(' ');
}

/** Looks up row by row, and notes the levels in which a remote schema is asked for something. */
function oracle(
  type: TypeName,
  row: Row,
  fields: readonly Selected[],
  level: number,
  asked: Set<string>,
): object {
  return Object.fromEntries(
    fields.map(({ alias, name, below }) => {
      if (!below) return [alias, row[name]];
      const of = (found: Row | undefined, deeper: number) =>
        found ? oracle(below.type, found, below.fields, deeper, asked) : null;
      const join = JOINS[type][name];
      if (!join) return [alias, (row[name] as readonly string[]).map((id) => of(byId('User', id), level))];
      const key = row[join.key];
      if (key === null || key === undefined) return [alias, null];
      if (join.remote) asked.add(`${join.remote} ${level}`);
      const found = DATA[join.target].filter((each) => String(each[join.with]) === String(key));
      return [alias, join.isList ? found.map((each) => of(each, level + 1)) : of(found[0], level + 1)];
    }),
  );
}

describe.skipIf(!realServersPresent)('joins with public GraphQL servers', () => {
  const remotes = {} as Record<Remote, RealServer>;
  let server: TestServer;

  async function metadata(type: string, args: object) {
    const { status, text } = await send(server, '/v1/metadata', { body: { type, args } });
    expect([type, status, text]).toEqual([type, 200, '{"message":"success"}']);
  }

  beforeAll(async () => {
    remotes.people = await startYoga(
      'type Query { user(id: ID!): User } type User { id: ID!, name: String, cityId: Int, friends: [User!]! }',
      {
        Query: { user: (_: never, { id }: { id: string }) => byId('User', id) },
        User: { friends: ({ friends }: { friends: string[] }) => friends.map((id) => byId('User', id)) },
      },
    );
    remotes.places = await startMercurius(
      'type Query { city(id: Int!): City } type City { id: Int!, name: String! }',
      { Query: { city: (_: never, { id }: { id: number }) => byId('City', id) ?? null } },
    );
    const sql = (type: TypeName) =>
      `insert into ${type} select * from json_populate_recordset(null::${type}, $json$${JSON.stringify(DATA[type])}$json$);`;
    const second = await createTestDatabase(
      `create table account (id bigint primary key, name text, city integer); ${sql('account')}
       create table payment (id integer primary key, ticket integer, cents integer); ${sql('payment')}`,
    );
    server = await serve({
      sql: `create table ticket (id integer primary key, owner integer, city integer, note text); ${sql('ticket')}`,
    });
    const connection_info = { database_url: second.url };
    await metadata('pg_add_source', { name: 'second', configuration: { connection_info } });
    const source = (type: TypeName) => (type === 'ticket' ? 'default' : 'second');
    for (const type of ['ticket', 'account', 'payment'] as const)
      await metadata('pg_track_table', { source: source(type), table: type });
    for (const name of ['people', 'places'] as const)
      await metadata('add_remote_schema', { name, definition: { url: remotes[name].url } });
    for (const [type, joins] of Object.entries(JOINS) as [TypeName, Record<string, Join>][])
      for (const [name, join] of Object.entries(joins)) {
        const root = join.target === 'User' ? 'user' : 'city';
        const definition = join.remote
          ? {
              to_remote_schema: {
                remote_schema: join.remote,
                lhs_fields: [join.key],
                remote_field: { [root]: { arguments: { id: `$${join.key}` } } },
              },
            }
          : {
              to_source: {
                source: source(join.target),
                table: join.target,
                relationship_type: join.isList ? 'array' : 'object',
                field_mapping: { [join.key]: join.with },
              },
            };
        if (type === 'User' || type === 'City')
          await metadata('create_remote_schema_remote_relationship', {
            remote_schema: type === 'User' ? 'people' : 'places',
            type_name: type,
            name,
            definition,
          });
        else
          await metadata('pg_create_remote_relationship', {
            source: source(type),
            table: type,
            name,
            definition,
          });
      }
  });

  afterAll(async () => {
    await server?.stop();
    await remotes.people?.stop();
    await remotes.places?.stop();
  });

  test('random queries', async () => {
    const totals = { people: 0, places: 0, levels: 0 };
    for (let index = 0; index < CASES; index += 1) {
      const tickets = select('ticket', 0);
      const user = next() < 0.4 ? select('User', 1) : undefined;
      const asked = new Set<string>();
      const expected: Record<string, unknown> = {
        ticket: DATA.ticket.map((row) => oracle('ticket', row, tickets, 1, asked)),
      };
      let query = `ticket(order_by: {id: asc}) { ${print('ticket', tickets)} }`;
      if (user) {
        const id = 1 + upTo(12);
        asked.add('people 0');
        const row = byId('User', id);
        expected.user = row ? oracle('User', row, user, 1, asked) : null;
        query += ` user(id: ${id}) { ${print('User', user)} }`;
      }
      const before = { people: remotes.people.requests(), places: remotes.places.requests() };
      const answer = await send(server, '/v1/graphql', { body: { query: `{ ${query} }` } });
      expect([query, answer.json]).toEqual([query, { data: expected }]);
      for (const name of ['people', 'places'] as const) {
        const levels = [...asked].filter((each) => each.startsWith(name)).length;
        const requests = remotes[name].requests() - before[name];
        expect([query, name, requests]).toEqual([query, name, levels]);
        totals[name] += requests;
        totals.levels = Math.max(totals.levels, levels);
      }
    }
    expect(totals.people).toBeGreaterThan(CASES / 2);
    expect(totals.places).toBeGreaterThan(CASES / 2);
    expect(totals.levels).toBeGreaterThan(2);
  });
});
