/** Reading a remote schema again and again. */

import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { createOutgoing, type Outgoing } from '../../../../runtime/outgoing/outgoing.ts';
import { createSchemaReader } from '../../../../runtime/outgoing/remote/introspect.ts';
import { type RemoteServer, startRemoteServer } from '../../../harness/remote-server.ts';

let remote: RemoteServer;
let outgoing: Outgoing;

beforeAll(async () => {
  remote = await startRemoteServer('type Query { a: Int }', {});
  outgoing = createOutgoing();
});

afterAll(async () => {
  await outgoing.close();
  await remote.stop();
});

test('every answer counts, whatever was read before', async () => {
  const read = createSchemaReader({ vocabulary: CANONICAL, outgoing, environment: {} });
  const target = { url: remote.url, timeout: 10 };
  const offer = (sdl: string) => {
    const text = JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) });
    remote.answer = () => text;
  };
  const fields = async (name: string) => /type Query \{\s*(.*?)\s*\}/s.exec(await read(name, target))?.[1];
  offer('type Query { a: Int }');
  expect([await fields('one'), await fields('one')]).toEqual(['a: Int', 'a: Int']);
  offer('type Query { b: Int }');
  expect([await fields('one'), await fields('two'), await fields('one')]).toEqual(Array(3).fill('b: Int'));
  remote.answer = () => '{"data":null}';
  await expect(read('one', target)).rejects.toThrow('not a GraphQL server, or introspection is off');
  offer('type Query { a: Int }');
  expect(await fields('one')).toBe('a: Int');
});
