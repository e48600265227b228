/** /api/rest/**: saved operations under URLs of their own. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import { jsonKind } from '../core/types.ts';
import { vocabulary } from '../core/vocabulary.ts';
import { answerSaved, type CurrentlyServed, forRequest } from '../graphql/answer.ts';
import { type GivenVariables, restVariables } from '../graphql/saved/variables.ts';
import { parseJson } from './body.ts';
import { authenticateRequest, clientOf, type Endpoints, sendJson } from './context.ts';
import { BAD_PATH } from './errors.ts';

const PREFIX = '/api/rest/';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The REST endpoints; they stay when the GraphQL endpoint is disabled. */
export function restEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    app.all(`${PREFIX}*`, async (request, reply) => {
      const session = await authenticateRequest(context, request);
      const served = current();
      if (!METHODS.has(request.method))
        throw new EngineError('bad-request', `Method ${request.method} not supported.`);
      const [path = '', search = ''] = splitUrl(request);
      const found = served.saved.match(
        request.method,
        path.split('/').map((part) => decoded(part, BAD_PATH)),
      );
      switch (found.kind) {
        case 'none':
          throw new EngineError('not-found', 'Endpoint not found', { status: 404 });
        case 'several':
          throw new EngineError('unexpected', 'Multiple endpoints match request');
        case 'otherMethods':
          throw wrongMethod(found.methods.join(', '), reply);
        case 'one': {
          const { operation, url } = found.route;
          request.exchange.route = PREFIX + url.replace(/^\//, '');
          const given = givenVariables(request, search, found.values);
          const variables = restVariables(operation, given);
          const logged = { query: operation.document, operationName: operation.name, variables };
          const partialErrors: string[] = [];
          const answer = await context.logOperation(request, logged, (watch) =>
            answerSaved(
              operation,
              variables,
              session,
              forRequest(served, watch, clientOf(context, request, logged, partialErrors)),
            ),
          );
          if (partialErrors.length > 0)
            reply.header(vocabulary().fromCanonical('x-engine-errors'), errorsHeader(partialErrors));
          return sendJson(reply, answer);
        }
      }
    });
  };
}

/** Maximum length of the header of errors; proxies refuse answers with long headers. */
const MAX_HEADER = 4000;

/** JSON in ASCII: the list of errors that leave the rest of the answer as it is, as many as fit. */
function errorsHeader(errors: readonly string[]): string {
  const fitting: string[] = [];
  let length = 2;
  for (const error of errors) {
    const text = error.replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    length += text.length + 1;
    if (length > MAX_HEADER) break;
    fitting.push(text);
  }
  return `[${fitting.join(',')}]`;
}

function wrongMethod(methods: string, reply: FastifyReply): EngineError {
  reply.header('allow', methods);
  return new EngineError('method-not-allowed', `Allowed methods: ${methods}`);
}

function splitUrl({ url }: FastifyRequest): readonly string[] {
  const start = url.indexOf('?');
  return start < 0 ? [url.slice(PREFIX.length)] : [url.slice(PREFIX.length, start), url.slice(start + 1)];
}

/** @throws EngineError with the message; Fastify decodes the path up to `#` only */
function decoded(part: string, message: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new EngineError('bad-request', message);
  }
}

/** @throws EngineError if the body or a text of the address cannot be read */
function givenVariables(
  request: FastifyRequest,
  search: string,
  path: ReadonlyMap<string, string>,
): GivenVariables {
  const text = typeof request.body === 'string' ? request.body : '';
  const query = parameters(search, 'query of the address');
  const type = String(request.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  // curl sends JSON as a form unless told otherwise; no form begins with a brace.
  if (type === 'application/x-www-form-urlencoded' && !text.trimStart().startsWith('{')) {
    for (const [name, texts] of parameters(text, 'form')) query.set(name, texts);
    return { query, body: {}, path };
  }
  return { query, body: text.trim() === '' ? {} : bodyVariables(text, type), path };
}

/** @throws EngineError for what is not percent-encoded UTF-8 */
function parameters(text: string, place: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = (equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]).map(
      (each) => decoded(each.replaceAll('+', ' '), `the ${place} is not valid percent-encoding: ${each}`),
    ) as [string, string];
    remember(found, name, () => []).push(value);
  }
  return found;
}

/** @throws EngineError if the body is not a JSON object */
function bodyVariables(text: string, type: string): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    if (type !== '' && !type.includes('json'))
      throw new EngineError(
        'bad-request',
        `a body of type ${type} is not read: send a JSON object, with variables by name, or a form (application/x-www-form-urlencoded)`,
        { status: 415 },
      );
    const message = `the request body is not JSON: ${(error as Error).message.replace('Error in $: ', '')}`;
    throw new EngineError('bad-request', message, { cause: error });
  }
  if (jsonKind(body) === 'Object') return body as Readonly<Record<string, unknown>>;
  throw new EngineError(
    'bad-request',
    `the request body has to be a JSON object, with variables by name; it is ${jsonKind(body)}`,
  );
}
