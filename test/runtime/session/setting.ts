/** What the tests of sessions share: what a session sees of `served/notes`, and tokens signed by hand. */
import { createHmac, type KeyObject, sign } from 'node:crypto';
import { confidential, send, type TestServer } from '../../harness/server.ts';

export const ADMIN = 'the-admin-secret-of-these-tests';
export const NAMESPACE = 'https://engine.io/jwt/claims';

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
