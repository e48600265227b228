/** /api/rest/**: saved operations under URLs of their own. */
import type { FastifyReply } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { remember } from '../core/remember.ts';
import { jsonKind } from '../core/types.ts';
import { answerSaved, type CurrentlyServed } from '../graphql/answer.ts';
import { Request } from '../graphql/request.ts';
import { type GivenVariables, restVariables } from '../graphql/saved/variables.ts';
import { parseJson } from './body.ts';
import { authenticateRequest, type Endpoints, sendJson } from './context.ts';
import { BAD_PATH } from './errors.ts';
import type { HttpRequest } from './request.ts';

const PREFIX = '/api/rest/';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The REST endpoints; they stay when the GraphQL endpoint is disabled. */
export function restEndpoints(current: CurrentlyServed): Endpoints {
  return (app, context) => {
    app.all(`${PREFIX}*`, async ({ own: request }, reply) => {
      const served = current();
      const [path = '', search = ''] = splitUrl(request);
      const segments = path.split('/');
      const texts = segments.map((segment) => decoded(segment, BAD_PATH));
      const found = served.saved.match(request.method, texts);
      const hide: Hide = (name, ...values) => {
        const secrets = context.masking?.secrets({ [name]: values }) ?? [];
        request.secrets = [...request.secrets, ...secrets];
      };
      // Before anything is refused: the address and the refusal are logged.
      for (const [name, index] of found.variables) hide(name, segments[index], texts[index]);
      const session = await authenticateRequest(context, request);
      if (!METHODS.has(request.method))
        throw new EngineError('bad-request', `Method ${request.method} not supported.`);
      switch (found.kind) {
        case 'none':
          throw new EngineError('not-found', 'Endpoint not found', { status: 404 });
        case 'several':
          throw new EngineError('unexpected', 'Multiple endpoints match request');
        case 'otherMethods':
          throw wrongMethod(found.methods.join(', '), reply);
        case 'one': {
          const { operation, url } = found.route;
          request.route = PREFIX + url.replace(/^\//, '');
          const given = givenVariables(request, search, found.values, hide);
          const variables = restVariables(operation, given);
          const call = { query: operation.document, operationName: operation.name, variables };
          const partialErrors: string[] = [];
          const answer = await context.logOperation(request, call, (watch) =>
            answerSaved(
              operation,
              variables,
              new Request(served, session, {
                client: request,
                call,
                watch,
                partialErrors,
              }),
            ),
          );
          if (partialErrors.length > 0)
            reply.header(
              context.configuration.vocabulary.fromCanonical('x-engine-errors'),
              errorsHeader(partialErrors),
            );
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

function splitUrl({ url }: HttpRequest): readonly string[] {
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

/** Notes values of a variable, percent-encoded and decoded: if it is masked, no log shows them. */
type Hide = (name: string, ...values: readonly unknown[]) => void;

/** @throws EngineError if the body or a text of the address cannot be read */
function givenVariables(
  request: HttpRequest,
  search: string,
  path: ReadonlyMap<string, string>,
  hide: Hide,
): GivenVariables {
  const text = typeof request.body === 'string' ? request.body : '';
  const query = parameters(search, 'query of the address', hide);
  const type = String(request.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  // curl sends JSON as a form unless told otherwise; no form begins with a brace.
  if (type === 'application/x-www-form-urlencoded' && !text.trimStart().startsWith('{')) {
    for (const [name, texts] of parameters(text, 'form', hide)) query.set(name, texts);
    return { query, body: {}, path };
  }
  const body = text.trim() === '' ? {} : bodyVariables(text, type);
  for (const [name, value] of Object.entries(body)) hide(name, value);
  return { query, body, path };
}

/** @throws EngineError for what is not percent-encoded UTF-8 */
function parameters(text: string, place: string, hide: Hide): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const read = (part: string) =>
    decoded(part.replaceAll('+', ' '), `the ${place} is not valid percent-encoding: ${part}`);
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
    const variable = read(name);
    hide(variable, value);
    const given = read(value);
    hide(variable, given);
    remember(found, variable, () => []).push(given);
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
