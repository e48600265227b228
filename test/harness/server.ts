/** A whole server in this process, with everything that it writes, and requests to it as bytes on a socket. */

import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { type Configuration, readConfiguration } from '../../runtime/configuration/configuration.ts';
import { CANONICAL, VOCABULARY_VARIABLE } from '../../runtime/core/vocabulary.ts';
import { createLogger } from '../../runtime/observe/logs/logger.ts';
import { type RunningServer, startServer } from '../../runtime/server/main.ts';
import { confidential, record } from './output.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export { confidential, leaks } from './output.ts';

export interface TestServer extends RunningServer {
  readonly database: TestDatabase;
  /** Every log line so far, of every type and level. */
  readonly output: () => string;
}

const EVERY_LOG_TYPE =
  'startup,http-log,webhook-log,websocket-log,jwk-refresh-log,query-log,execution-log,livequery-poller-log,action-handler-log,validate-insert-input-log';

/** Starts a server on a free port; options as environment variables without their prefix, `variables` as they are. */
export async function startTestServer(
  database: TestDatabase,
  options: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
  vocabulary = CANONICAL,
): Promise<TestServer> {
  const all = {
    DATABASE_URL: database.url,
    SERVER_PORT: '0',
    ENABLED_LOG_TYPES: EVERY_LOG_TYPE,
    LOG_LEVEL: 'debug',
    ...options,
  };
  const environment: Record<string, string> = { ...variables, [VOCABULARY_VARIABLE]: vocabulary.word };
  for (const [name, value] of Object.entries(all)) environment[vocabulary.environment(name)] = value;
  const configuration = readConfiguration({}, environment);
  const lines: string[] = [];
  const observe = createLogger(configuration, {
    write: (line) => {
      lines.push(line);
      record(line);
    },
  });
  confidential.add(new URL(database.url).password);
  for (const secret of secretsOf(configuration)) confidential.add(secret);
  return {
    ...(await startServer({
      configuration,
      environment,
      compiler: bundledCompiler(),
      review: bundledReview(),
      observe,
    })),
    database,
    output: () => lines.join(''),
  };
}

type Texts = Readonly<Record<string, string>>;

export interface Serving {
  /** Objects and rows of the database that is created where none is given. */
  readonly sql?: string;
  readonly database?: TestDatabase;
  readonly metadata?: unknown;
  readonly options?: Texts;
  /** `DATABASE_URL` is always one of them. */
  readonly variables?: Texts;
  readonly vocabulary?: typeof CANONICAL;
  /** Sent with the metadata, as is the admin secret of `options`. */
  readonly headers?: Texts;
}

/** Starts a server of a database, with its metadata. */
export async function serve({ sql, options = {}, vocabulary = CANONICAL, ...given }: Serving = {}) {
  const { database = await createTestDatabase(sql), metadata, headers } = given;
  const variables = { DATABASE_URL: database.url, ...given.variables };
  const server = await startTestServer(database, options, variables, vocabulary);
  if (metadata === undefined) return server;
  const { ADMIN_SECRET } = options;
  const secret = ADMIN_SECRET === undefined ? {} : { [`${vocabulary.prefix}admin-secret`]: ADMIN_SECRET };
  try {
    await replaceMetadata(server, metadata, { ...secret, ...headers });
  } catch (error) {
    // The caller has no server to stop.
    await server.stop();
    throw error;
  }
  return server;
}

/** Replaces the metadata of a server, in which nothing may be inconsistent. */
export async function replaceMetadata(
  server: RunningServer,
  metadata: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = {
    type: 'replace_metadata',
    version: 2,
    args: { metadata, allow_inconsistent_metadata: true },
  };
  const { json } = await send(server, '/v1/metadata', { headers, body });
  if (!(json as { is_consistent?: boolean }).is_consistent) throw new Error(JSON.stringify(json, null, 2));
}

/** Address of the compiler's module for a server of this test run. */
export function bundledCompiler(): string {
  return pathToFileURL(join(inject('bundleFolder'), 'compiler/index.js')).href;
}

/** Address of the module that answers the console for a server of this test run. */
function bundledReview(): string {
  return pathToFileURL(join(inject('bundleFolder'), 'compiler/review/console.js')).href;
}

/** What a configuration says that nobody else may know. */
function secretsOf({ adminSecret, adminSecrets, accessKey }: Configuration): readonly string[] {
  return [adminSecret, accessKey, ...(adminSecrets ?? [])].filter((secret) => secret !== undefined);
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

export interface RequestOptions {
  readonly method?: string;
  /** By name, or names and values in turn to send one twice or in a certain case. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly body?: string | object;
}

/** Sends a request as it is: no header is added but Host, Connection and Content-Length. */
export function send(
  server: RunningServer,
  path: string,
  { method = 'POST', headers = {}, body = '' }: RequestOptions = {},
): Promise<Answer> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const list = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port: server.port,
        host: '127.0.0.1',
        path,
        method,
        headers: ['Host', '127.0.0.1', 'Content-Length', String(Buffer.byteLength(payload)), ...list],
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          record(`${JSON.stringify(response.headers)} ${text}`);
          resolve({ status: response.statusCode!, headers: response.headers, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    // The platform writes the headers of a text in the encoding of the text.
    outgoing.end(payload === '' ? undefined : Buffer.from(payload));
  });
}

/** The parsed answer to a GraphQL request of `role`, by default an administrator. */
export async function answerTo(
  server: RunningServer,
  query: string,
  { role, headers, variables }: { role?: string; headers?: Texts; variables?: object | undefined } = {},
) {
  const all = { ...headers, ...(role !== undefined && { 'x-engine-role': role }) };
  const { json } = await send(server, '/v1/graphql', { headers: all, body: { query, variables } });
  return json as {
    data?: Record<string, unknown>;
    errors?: { message: string; extensions: Record<string, unknown> }[];
  };
}
