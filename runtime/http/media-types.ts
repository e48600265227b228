/** Which media types a GraphQL request has and accepts. */
import { EngineError } from '../core/errors.ts';
import { JSON_TYPE } from './context.ts';
import type { HttpRequest } from './request.ts';

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** The standard's own media type where the client names it and likes JSON no better, else JSON. */
export function answerType({ headers: { accept } }: HttpRequest): string {
  // Fast path: clients rarely name it.
  if (!accept?.toLowerCase().includes(GRAPHQL_RESPONSE)) return JSON_TYPE;
  const standard = qualityOf(GRAPHQL_RESPONSE, accept);
  return standard > 0 && standard >= qualityOf('application/json', accept)
    ? `${GRAPHQL_RESPONSE}; charset=utf-8`
    : JSON_TYPE;
}

/** How much an Accept header likes a media type that it names; 0 when it does not. */
function qualityOf(type: string, accept: string): number {
  return mediaTypes(accept).find(({ name }) => name === type)?.quality ?? 0;
}

function mediaTypes(accept: string): readonly { readonly name: string; readonly quality: number }[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    });
}

/** Streams of answers, as GraphQL over server-sent events and incremental delivery have them. */
const STREAMS: ReadonlySet<string> = new Set(['text/event-stream', 'multipart/mixed']);
const ANSWERS: ReadonlySet<string> = new Set(['application/json', GRAPHQL_RESPONSE, 'application/*', '*/*']);

/**
 * Clients of other protocols would take a JSON answer for a broken stream, and an upload is no JSON.
 * @throws EngineError 406 if the client takes nothing but a stream of answers, 415 for uploads of files
 */
export function checkProtocol({ headers: { accept, 'content-type': type } }: HttpRequest): void {
  // Fast path: most clients send neither.
  if (accept !== undefined && accept !== '*/*') {
    const accepted = mediaTypes(accept).filter(({ quality }) => quality > 0);
    const stream = accepted.find(({ name }) => STREAMS.has(name));
    if (stream && !accepted.some(({ name }) => ANSWERS.has(name)))
      throw new EngineError(
        'not-supported',
        `answers are not streamed as ${stream.name}: accept application/json, and run subscriptions over a WebSocket (graphql-transport-ws) at the same address`,
        { status: 406 },
      );
  }
  if (type?.toLowerCase().startsWith('multipart/'))
    throw new EngineError(
      'not-supported',
      'files are not uploaded with GraphQL requests: send a JSON body (application/json), and bytes as text in a variable or to a service of your own',
      { status: 415 },
    );
}
