/** One case: a request to a project, its answer against the expected one. */
import type { EngineError } from '../../../runtime/core/errors.ts';
import { Random } from '../random.ts';
import { isRefusedForShards } from '../shards/distribution.ts';
import { wrongAnswer } from './answer.ts';
import { expectedAnswer } from './oracle.ts';
import { type Cursors, type Document, printRequest } from './print.ts';
import type { Project } from './project.ts';
import type { Request } from './request.ts';
import type { Served } from './served.ts';

export interface Failure {
  /** `wrong answer`, or the error's message: what a smaller case must have in common. */
  readonly kind: string;
  readonly detail: string;
  readonly document: Document;
  /** Because of where its tables are. */
  readonly isRefused?: boolean;
}

/** Asks for the cursors at which the pages of connections begin. A connection without rows has none. */
async function cursorsOf(
  served: Served,
  project: Project,
  request: Request,
): Promise<{ readonly found: Cursors } | { readonly error: Error; readonly document: Document }> {
  const fields = request.fields.filter((field) => field.kind === 'connection' && field.skip > 0);
  if (fields.length === 0) return { found: new Map() };
  const document = printRequest(project, { ...request, fields }, new Random(0));
  const answered = await served.answer(request.role, request.session, document);
  if ('error' in answered) return { ...answered, document };
  const { data } = JSON.parse(answered.text) as { data: Record<string, { pageInfo: { cursor: string } }> };
  const cursors = Object.entries(data).map(([name, { pageInfo }]) => [name, pageInfo.cursor] as const);
  return { found: new Map(cursors.filter(([, cursor]) => cursor !== '')) };
}

/** Sends the request; `seed` decides how it is written. undefined: the answer is right. */
export async function check(
  served: Served,
  project: Project,
  request: Request,
  seed: number,
): Promise<Failure | undefined> {
  const cursors = await cursorsOf(served, project, request);
  const document =
    'error' in cursors ? cursors.document : printRequest(project, request, new Random(seed), cursors.found);
  const answered =
    'error' in cursors ? cursors : await served.answer(request.role, request.session, document);
  if ('error' in answered) return failureOf(answered.error, document, served);
  const expected = expectedAnswer(project, request);
  const detail = wrongAnswer(expected, answered.text);
  if (detail !== undefined) return { kind: 'wrong answer', detail, document };
  // On a cluster a live query has separate statements. Entities are not subscribed to.
  if (!served.distribution || request.fields.some(({ kind }) => kind === 'entities')) return undefined;
  const found = 'error' in cursors ? undefined : cursors.found;
  const subscription = printRequest(project, request, new Random(seed), found, 'subscription');
  const read = await served.live(request.role, request.session, subscription);
  if ('error' in read) return { ...failureOf(read.error, subscription, served), isRefused: false };
  const other = wrongAnswer(expected, read.text);
  return other === undefined
    ? undefined
    : { kind: 'wrong live answer', detail: other, document: subscription };
}

function failureOf(error: Partial<EngineError> & Error, document: Document, served: Served): Failure {
  const { internal, message, path = '?', stack } = error;
  const cause = internal === undefined ? '' : ` ${JSON.stringify(internal)}`;
  return {
    kind: `${message}${cause.match(/"error":.*"message":"([^"]*)/)?.[1] ?? ''}`,
    detail: `${message} at ${path}${cause}${internal === undefined ? `\n${stack}` : ''}`,
    document,
    isRefused: isRefusedForShards(error, served.distribution),
  };
}
