/**
 * The client libraries that people use, behind one interface. Apollo Client and urql are of a folder that
 * `npm run pretest:slow` installs.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createClient, type Client as WsClient } from 'graphql-ws';
import { createClient as createClient5 } from 'graphql-ws-5';
import { SubscriptionClient } from 'subscriptions-transport-ws';
import WebSocket from 'ws';

interface LibraryClient {
  /** The data of a query or mutation. @throws the library's errors */
  run(query: string, variables?: Record<string, unknown>): Promise<unknown>;
  /** @returns what unsubscribes */
  subscribe(query: string, next: (data: unknown) => void, failed?: (error: unknown) => void): () => void;
  close(): void | Promise<void>;
}

interface LibraryOptions {
  readonly url: string;
  /** Payload of `connection_init`, made for each connection. */
  readonly params?: () => Record<string, unknown>;
}

export type OpenClient = (options: LibraryOptions) => LibraryClient;

const ADMIN = () => ({ headers: { 'x-engine-role': 'admin' } });

function wsClient(create: typeof createClient, { url, params = ADMIN }: LibraryOptions): WsClient {
  return create({
    url,
    webSocketImpl: WebSocket,
    connectionParams: params,
    lazy: true,
    keepAlive: 200,
    retryAttempts: 20,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 50)),
    // As docs/subscriptions.md recommends; the other codes are those of a lost connection.
    shouldRetry: (event) => typeof (event as { code?: unknown }).code === 'number',
  });
}

function modern(create: typeof createClient): OpenClient {
  return (options) => {
    const client = wsClient(create, options);
    return {
      run: (query, variables) =>
        new Promise((resolve, reject) => {
          let data: unknown;
          client.subscribe(
            { query, variables: variables ?? null },
            {
              next: (result) => {
                data = result.data;
              },
              error: reject,
              complete: () => resolve(data),
            },
          );
        }),
      subscribe: (query, next, failed = () => {}) =>
        client.subscribe({ query }, { next: ({ data }) => next(data), error: failed, complete: () => {} }),
      close: () => client.dispose(),
    };
  };
}

const older: OpenClient = ({ url, params = ADMIN }) => {
  const client = new SubscriptionClient(
    url,
    { connectionParams: params, reconnect: true, minTimeout: 1000 },
    WebSocket,
  );
  const request = (query: string, variables: Record<string, unknown> | undefined) =>
    client.request(variables ? { query, variables } : { query });
  return {
    run: (query, variables) =>
      new Promise((resolve, reject) => {
        let data: unknown;
        request(query, variables).subscribe({
          next: (result) => {
            if (result.errors) reject(result.errors);
            data = result.data;
          },
          error: reject,
          complete: () => resolve(data),
        });
      }),
    subscribe: (query, next, failed) =>
      request(query, undefined).subscribe({
        next: ({ data }) => next(data),
        ...(failed && { error: failed }),
      }).unsubscribe,
    close: () => client.close(),
  };
};

/** Clients of packages that the checkout has. */
export const LIBRARIES: readonly (readonly [string, OpenClient])[] = [
  ['graphql-ws 6', modern(createClient)],
  ['graphql-ws 5', modern(createClient5 as unknown as typeof createClient)],
  ['subscriptions-transport-ws', older],
];

const folder = fileURLToPath(new URL('../real-graphql-clients/', import.meta.url));

/** Whether Apollo Client and urql are installed. */
export const realClientsPresent = existsSync(`${folder}node_modules`);

const load = (name: string): unknown => createRequire(folder)(name);

interface Subscribable {
  subscribe(observer: unknown): { unsubscribe(): void };
}

const apollo: OpenClient = (options) => {
  const { ApolloClient, InMemoryCache, gql } = load('@apollo/client') as {
    ApolloClient: new (
      options: object,
    ) => {
      mutate(options: object): Promise<{ data: unknown }>;
      query(options: object): Promise<{ data: unknown }>;
      subscribe(options: object): Subscribable;
      stop(): void;
    };
    InMemoryCache: new () => object;
    gql: (text: string) => object;
  };
  const { GraphQLWsLink } = load('@apollo/client/link/subscriptions') as {
    GraphQLWsLink: new (client: WsClient) => object;
  };
  // The link expects a browser.
  Object.assign(globalThis, { WebSocket: globalThis.WebSocket ?? WebSocket });
  const socket = wsClient(createClient, options);
  const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });
  return {
    run: async (text, variables) => {
      const document = gql(text);
      const { data } = await (text.startsWith('mutation')
        ? client.mutate({ mutation: document, variables })
        : client.query({ query: document, variables, fetchPolicy: 'no-cache' }));
      return withoutTypeNames(data);
    },
    subscribe: (text, next, failed) => {
      const subscription = client.subscribe({ query: gql(text) }).subscribe({
        next: ({ data, error }: { data: unknown; error?: unknown }) => {
          if (error) failed?.(error);
          else next(withoutTypeNames(data));
        },
        error: failed,
      });
      return () => subscription.unsubscribe();
    },
    close: async () => {
      client.stop();
      await socket.dispose();
    },
  };
};

const urql: OpenClient = (options) => {
  const { Client, subscriptionExchange } = load('@urql/core') as {
    Client: new (
      options: object,
    ) => Record<
      'query' | 'mutation' | 'subscription',
      (
        text: string,
        variables: object,
      ) => {
        subscribe(next: (result: UrqlResult) => void): { unsubscribe(): void };
        toPromise(): Promise<UrqlResult>;
      }
    >;
    subscriptionExchange: (options: object) => unknown;
  };
  const socket = wsClient(createClient, options);
  const client = new Client({
    url: 'http://127.0.0.1:1/',
    exchanges: [
      subscriptionExchange({
        enableAllOperations: true,
        forwardSubscription: ({ query = '', variables }: { query?: string; variables?: object }) => ({
          subscribe: (sink: never) => ({
            unsubscribe: socket.subscribe({ query, variables: variables as Record<string, unknown> }, sink),
          }),
        }),
      }),
    ],
  });
  return {
    run: async (text, variables = {}) => {
      const asked = text.startsWith('mutation')
        ? client.mutation(text, variables)
        : client.query(text, variables);
      const { data, error } = await asked.toPromise();
      if (error) throw error.graphQLErrors[0];
      return withoutTypeNames(data);
    },
    subscribe: (text, next, failed) => {
      const subscription = client.subscription(text, {}).subscribe(({ data, error }) => {
        if (error) failed?.(error);
        else next(withoutTypeNames(data));
      });
      return () => subscription.unsubscribe();
    },
    close: async () => {
      await socket.dispose();
    },
  };
};

interface UrqlResult {
  readonly data?: unknown;
  readonly error?: { readonly graphQLErrors: readonly unknown[] };
}

/** Both ask for `__typename` of every object that has fields. */
function withoutTypeNames(data: unknown): unknown {
  const drop = (key: string, value: unknown) =>
    key === '__typename' && value !== 'query_root' ? undefined : value;
  return JSON.parse(JSON.stringify(data, drop));
}

/** Clients of packages that `npm run pretest:slow` installs. */
export const INSTALLED_LIBRARIES: readonly (readonly [string, OpenClient])[] = [
  ['Apollo Client', apollo],
  ['urql', urql],
];
