/** POST /v1/metadata, /v1/query and /v2/query: bodies in, answers of the metadata engine out. */

import { parseExactJson } from '../core/json/exact-json.ts';
import { isObject } from '../core/json/json.ts';
import type { Session } from '../core/session.ts';
import type { Client } from '../graphql/request.ts';
import type { LoggedQuery } from '../observe/logs/observe.ts';
import { authenticateRequest, type Endpoints, sendJson } from './context.ts';

const PATHS = ['/v1/metadata', '/v1/query', '/v2/query'] as const;

export type MetadataEndpointPath = (typeof PATHS)[number];

interface MetadataRequester {
  readonly session: Session;
  /** Without functions, so that it can go to another thread. */
  readonly client: Client;
}

/**
 * The endpoints that change what is served.
 * @param run runs the request that the body's text holds: the JSON text of the answer; throws EngineError
 */
export function metadataEndpoints(
  run: (path: MetadataEndpointPath, body: string, requester: MetadataRequester) => Promise<string>,
): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('metadata')) return;
    const { enabledLogTypes, enableMetadataQueryLogging } = context.configuration;
    const logsQueries = enabledLogTypes.includes('query-log');
    for (const path of PATHS) {
      app.post(path, async ({ own: request }, reply) => {
        const body = typeof request.body === 'string' ? request.body : '';
        // Before authentication: the log line of a refused request says what was asked for.
        if (logsQueries) request.query = describeRequest(body, enableMetadataQueryLogging);
        const session = await authenticateRequest(context, request);
        request.checkWrite();
        const { headers, requestId, trace } = request;
        return sendJson(reply, await run(path, body, { session, client: { headers, requestId, trace } }));
      });
    }
  };
}

/** The logged form of a request: its type, or the whole request without secrets. */
function describeRequest(body: string, isWhole: boolean): LoggedQuery {
  try {
    const { type, args } = parseExactJson(body) as { type?: unknown; args?: unknown };
    return { type: String(type), ...(isWhole ? { args: redact(args) } : {}) };
  } catch {
    return {};
  }
}

const SECRET_KEY = /pass(word|phrase)|secret|token|api.?key|authorization|private/i;

/** Passwords of connection strings, values of headers and of keys that sound secret do not reach logs. */
function redact(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/(:\/\/[^\s/?#]*:)[^\s/?#]*@/g, '$1[REDACTED]@');
  if (Array.isArray(value)) return value.map(redact);
  if (!isObject(value)) return value;
  const isHeader = 'name' in value && 'value' in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET_KEY.test(key) || (isHeader && key === 'value') ? '[REDACTED]' : redact(item),
    ]),
  );
}
