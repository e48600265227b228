/** A whole server in this process, with everything that it writes, and requests to it as bytes on a socket. */
import { request } from 'node:http';
import { readConfiguration } from '../../runtime/configuration.ts';
import { type RunningServer, startServer } from '../../runtime/main.ts';
import { createLogger } from '../../runtime/observe.ts';
import type { TestDatabase } from './postgres.ts';

export interface TestServer extends RunningServer {
  /** Every log line so far, of every type and level. */
  readonly output: () => string;
}

const EVERY_LOG_TYPE =
  'startup,http-log,webhook-log,websocket-log,jwk-refresh-log,query-log,execution-log,livequery-poller-log,action-handler-log,validate-insert-input-log';

/** Starts a server on a free port; options as environment variables without their prefix. */
export async function startTestServer(
  database: TestDatabase,
  options: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const environment: Record<string, string> = {
    ENGINE_GRAPHQL_DATABASE_URL: database.url,
    ENGINE_GRAPHQL_SERVER_PORT: '0',
    ENGINE_GRAPHQL_ENABLED_LOG_TYPES: EVERY_LOG_TYPE,
    ENGINE_GRAPHQL_LOG_LEVEL: 'debug',
  };
  for (const [name, value] of Object.entries(options)) environment[`ENGINE_GRAPHQL_${name}`] = value;
  const configuration = readConfiguration({}, environment);
  const lines: string[] = [];
  const observe = createLogger(configuration, {
    write: (line) => {
      lines.push(line);
      written.push(line);
    },
  });
  confidential.add(new URL(database.url).password);
  return { ...(await startServer({ configuration, environment, observe })), output: () => lines.join('') };
}

/** Texts that nothing may write: secrets and tokens of the tests. */
export const confidential = new Set<string>();

/** What all servers of this test file wrote into logs and answers. */
const written: string[] = [];

/** Which of the confidential texts were written, with where: empty unless something leaks. */
export function leaks(): readonly string[] {
  const texts = [...confidential].filter((text) => text !== '');
  return written.filter((line) => texts.some((text) => line.includes(text)));
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
          written.push(`${JSON.stringify(response.headers)} ${text}`);
          resolve({ status: response.statusCode!, headers: response.headers, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
