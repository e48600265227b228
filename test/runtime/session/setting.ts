/** What the tests of sessions share: three notes of two owners, rules of three roles, and tokens signed by hand. */
import { createHmac, type KeyObject, sign } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { type Answer, confidential, send, startTestServer, type TestServer } from '../../harness/server.ts';

export const ADMIN = 'the-admin-secret-of-these-tests';
export const NAMESPACE = 'https://engine.io/jwt/claims';

const schema = `
  create table note (id int primary key, owner_id int not null, text text not null, tags text[] not null default '{}');
  insert into note values (1, 1, 'one', '{a}'), (2, 2, 'two', '{b}'), (3, 1, 'three', '{a,b}');
`;

/**
 * A database whose metadata is set: `user` sees own notes, `tagged` those with one of its tags, `guest` ids only; owners are
 * for administrators, as is what /api/rest/everything answers.
 */
export async function createNotes(): Promise<TestDatabase> {
  const database = await createTestDatabase(schema);
  const server = await startTestServer(database);
  const table = { source: 'default', table: 'note' };
  const own = { owner_id: { _eq: 'X-Engine-User-Id' } };
  const permit = (kind: string, role: string, permission: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { ...table, role, permission },
  });
  const answer = await metadata(server, {
    type: 'bulk',
    args: [
      { type: 'pg_track_table', args: table },
      permit('select', 'user', { columns: ['id', 'text'], filter: own }),
      permit('insert', 'user', { columns: ['id', 'text'], check: {}, set: { owner_id: 'x-engine-user-id' } }),
      permit('update', 'user', { columns: ['text'], filter: own }),
      permit('select', 'tagged', { columns: ['id'], filter: { tags: { _contains: 'X-Engine-Tags' } } }),
      permit('select', 'one_of', { columns: ['id'], filter: { owner_id: { _in: 'X-Engine-Owners' } } }),
      permit('select', 'guest', { columns: ['id'], filter: {} }),
      {
        type: 'create_query_collection',
        args: {
          name: 'saved',
          definition: {
            queries: [{ name: 'everything', query: 'query everything { note { id owner_id } }' }],
          },
        },
      },
      {
        type: 'create_rest_endpoint',
        args: {
          name: 'everything',
          url: 'everything',
          methods: ['GET', 'POST'],
          definition: { query: { collection_name: 'saved', query_name: 'everything' } },
        },
      },
      permit('insert', 'guest', { columns: ['id', 'owner_id', 'text'], check: {}, backend_only: true }),
    ],
  });
  await server.stop();
  if (answer.status !== 200) throw new Error(answer.text);
  return database;
}

function metadata(server: TestServer, body: object): Promise<Answer> {
  return send(server, '/v1/metadata', { headers: { 'x-engine-admin-secret': ADMIN }, body });
}

type Headers = Readonly<Record<string, string>> | readonly string[];

/** The ids of the notes that somebody sees, or the code of the error. */
export async function noteIds(server: TestServer, headers: Headers): Promise<number[] | string> {
  const { json } = await send(server, '/v1/graphql', {
    headers,
    body: { query: '{ note(order_by: {id: asc}) { id } }' },
  });
  const { data, errors } = json as {
    data?: { note: { id: number }[] };
    errors?: { message: string; extensions: { code: string } }[];
  };
  if (data) return data.note.map(({ id }) => id);
  return `${errors![0]!.extensions.code}: ${errors![0]!.message}`;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Signer =
  | { readonly algorithm: `HS${number}`; readonly key: string }
  | { readonly algorithm: string; readonly key: KeyObject };

/** Signs a token with the cryptography of the platform, without any library. */
export function signToken(payload: object, signer: Signer, header: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${encode({ alg: signer.algorithm, typ: 'JWT', ...header })}.${encode(payload)}`;
  const token = `${data}.${signature(data, signer)}`;
  confidential.add(token);
  return token;
}

function signature(data: string, { algorithm, key }: Signer): string {
  const hash = `sha${algorithm.slice(2)}`;
  if (typeof key === 'string') return createHmac(hash, key).update(data).digest('base64url');
  const bytes = Buffer.from(data);
  if (algorithm.startsWith('Ed')) return sign(null, bytes, key).toString('base64url');
  if (algorithm.startsWith('ES'))
    return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  if (algorithm.startsWith('PS'))
    return sign(hash, bytes, { key, padding: 6, saltLength: -1 }).toString('base64url');
  return sign(hash, bytes, key).toString('base64url');
}

/** A payload for the owner 1, valid for an hour. */
export function payload(claims: object = {}, registered: object = {}): object {
  const now = Math.floor(Date.now() / 1000);
  return {
    iat: now,
    exp: now + 3600,
    ...registered,
    [NAMESPACE]: {
      'x-engine-allowed-roles': ['user', 'guest'],
      'x-engine-default-role': 'user',
      'x-engine-user-id': '1',
      ...claims,
    },
  };
}
