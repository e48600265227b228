/**
 * A GraphQL server as a remote schema: answers by a schema and root values through graphql-js, and keeps every request that
 * it got. What it answers can be replaced, to be slow, wrong or broken.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema, graphql, parse } from 'graphql';
import { problemsOf } from '../fuzz/remote/check.ts';

interface RemoteCall {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface RemoteServer {
  readonly url: string;
  /** Requests in order, without introspection. */
  readonly calls: RemoteCall[];
  /** Answers instead of the schema, as long as it is set; undefined leaves it to the schema. */
  answer: ((call: RemoteCall, response: ServerResponse) => string | Promise<string> | undefined) | undefined;
  /** @throws Error where a document with its variables was not valid by the schema */
  stop(): Promise<void>;
}

/**
 * @param root values and functions of root fields, as graphql-js takes them
 * @param wantedPort 0 = any free one
 */
export async function startRemoteServer(sdl: string, root: object, wantedPort = 0): Promise<RemoteServer> {
  const schema = buildSchema(sdl, { assumeValidSDL: true });
  const calls: RemoteCall[] = [];
  const invalid: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    const { query, variables, operationName } = JSON.parse(body) as RemoteCall;
    const call = { query, variables, operationName, headers: request.headers, body };
    const isIntrospection = query.includes('__schema');
    if (!isIntrospection) {
      calls.push(call);
      // What answers instead may be a server with another schema.
      if (!server.answer) invalid.push(...refused(schema, call));
    }
    const replaced = server.answer?.(call, response);
    const text =
      replaced === undefined
        ? JSON.stringify(
            await graphql({
              schema,
              source: parse(query) && query,
              rootValue: root,
              variableValues: variables,
              operationName,
            }),
          )
        : await replaced;
    response.setHeader('content-type', 'application/json');
    response.end(text);
  };
  const http = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => http.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const server: RemoteServer = {
    url: `http://127.0.0.1:${port}/graphql`,
    calls,
    answer: undefined,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      if (invalid.length > 0) throw new Error(`invalid documents were sent:\n${invalid.join('\n')}`);
    },
  };
  return server;
}

function refused(schema: GraphQLSchema, { query, variables = {} }: RemoteCall): string[] {
  const texts = Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return problemsOf(schema, { query, variables: new Map(texts) }).map((problem) => `${problem}: ${query}`);
}
