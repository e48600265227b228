import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { hasOpenssl, selfSigned } from '../../../harness/certificate.ts';
import { send, serve, type TestServer } from '../../../harness/server.ts';

let server: TestServer | undefined;
const closing: (() => void)[] = [];
afterAll(async () => {
  await server?.stop();
  for (const close of closing) close();
});

test.skipIf(!hasOpenssl)('the metadata says which certificates of handlers are not verified', async () => {
  const handler = createServer(selfSigned(), (_, response) => response.end('"done"'));
  await new Promise<void>((resolve) => handler.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    handler.closeAllConnections();
    handler.close();
  });
  const { port } = handler.address() as AddressInfo;
  server = await serve();
  const change = async (type: string, args: object) =>
    expect(await send(server!, '/v1/metadata', { body: { type, args } })).toMatchObject({ status: 200 });
  await change('create_action', {
    name: 'act',
    definition: { type: 'query', output_type: 'String!', handler: `https://localhost:${port}/act` },
  });
  const call = async () => (await send(server!, '/v1/graphql', { body: { query: '{ act }' } })).json;
  const refused = {
    errors: [expect.objectContaining({ message: 'http exception when calling webhook' })],
  };
  expect(await call()).toEqual(refused);
  await change('add_host_to_tls_allowlist', { host: 'localhost', suffix: String(port) });
  expect(await call()).toEqual({ data: { act: 'done' } });
  await change('drop_host_from_tls_allowlist', { host: 'localhost' });
  expect(await call()).toEqual(refused);
});
