/** Public GraphQL servers as remote schemas, of a folder that `npm run pretest:slow` installs. */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';

const modules = fileURLToPath(new URL('../real-graphql-servers/node_modules/', import.meta.url));

/** Whether they are installed. */
export const realServersPresent = existsSync(modules);

export interface RealServer {
  readonly url: string;
  /** Requests so far, introspection included. */
  readonly requests: () => number;
  readonly stop: () => Promise<void>;
}

type Resolver = (parent: never, args: never) => unknown;
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

/** `graphql-yoga`. */
export async function startYoga(sdl: string, resolvers: Resolvers): Promise<RealServer> {
  const { createYoga, createSchema } = (await load('graphql-yoga/esm/index.js')) as {
    createYoga: (options: object) => (request: IncomingMessage, response: ServerResponse) => unknown;
    createSchema: (options: object) => object;
  };
  const handle = createYoga({ schema: createSchema({ typeDefs: sdl, resolvers }), logging: false });
  let requests = 0;
  const http = createServer((request, response) => {
    requests += 1;
    void handle(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`,
    requests: () => requests,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** `@apollo/server`. */
export async function startApollo(sdl: string, resolvers: Resolvers): Promise<RealServer> {
  const { ApolloServer } = (await load('@apollo/server/dist/esm/index.js')) as {
    ApolloServer: new (options: object) => { stop(): Promise<void> };
  };
  const { startStandaloneServer } = (await load('@apollo/server/dist/esm/standalone/index.js')) as {
    startStandaloneServer: (server: object, options: object) => Promise<{ url: string }>;
  };
  let requests = 0;
  // Without NODE_ENV=production it lets everybody introspect it; the option says so.
  const server = new ApolloServer({ typeDefs: sdl, resolvers, introspection: true });
  const { url } = await startStandaloneServer(server, {
    listen: { host: '127.0.0.1', port: 0 },
    context: async () => {
      requests += 1;
      return {};
    },
  });
  return { url, requests: () => requests, stop: () => server.stop() };
}

interface Fastify {
  register(plugin: unknown, options: object): unknown;
  addHook(name: string, hook: () => Promise<void>): unknown;
  listen(options: object): Promise<string>;
  close(): Promise<void>;
}

/** `mercurius`. */
export async function startMercurius(sdl: string, resolvers: Resolvers): Promise<RealServer> {
  const { default: fastify } = (await load('fastify/fastify.js')) as {
    default: (options: object) => Fastify;
  };
  const { default: mercurius } = (await load('mercurius/index.js')) as { default: unknown };
  const app = fastify({ forceCloseConnections: true });
  let requests = 0;
  app.addHook('onRequest', async () => {
    requests += 1;
  });
  app.register(mercurius, { schema: sdl, resolvers });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url: `${address}/graphql`, requests: () => requests, stop: () => app.close() };
}

function load(path: string): Promise<object> {
  return import(/* @vite-ignore */ pathToFileURL(modules + path).href) as Promise<object>;
}
