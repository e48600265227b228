/**
 * A GraphQL server behind the ones that are measured. It keeps every answer by the request's body, because what it computes
 * itself would be measured as well; it counts the requests; it may answer late.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { buildSchema, graphql } from 'graphql';
import { type ServiceName, services } from '../remote-services.ts';
import { serveMeasured } from './measured.ts';

export interface UpstreamOptions {
  readonly service: ServiceName;
  /** Milliseconds before each answer. */
  readonly late?: number;
}

serveMeasured(async ({ service, late = 0 }: UpstreamOptions) => {
  const { sdl, federation, root } = services[service];
  const schema = buildSchema(`${sdl}\n${federation?.schema ?? ''}`);
  const rootValue = { ...root, ...federation?.root };
  const known = new Map<string, string>();
  const answer = async (body: string): Promise<string> => {
    const found = known.get(body);
    if (found !== undefined) return found;
    const { query: source, variables: variableValues } = JSON.parse(body) as {
      query: string;
      variables?: Record<string, unknown>;
    };
    const text = JSON.stringify(await graphql({ schema, source, rootValue, variableValues }));
    known.set(body, text);
    return text;
  };
  let requests = 0;
  const server = createServer((request, response) => {
    const end = (text: string) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    if (request.method === 'GET') {
      end(String(requests));
      return;
    }
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      if (late > 0) await delay(late);
      end(await answer(Buffer.concat(chunks).toString()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
