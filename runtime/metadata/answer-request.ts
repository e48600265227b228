/** A request to the metadata, schema or legacy API from its text to the text of its answer. */
import { EngineError } from '../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../core/session.ts';
import { parseJson } from '../http/body.ts';
import { answerText } from './answer.ts';
import type { MetadataEngine } from './engine.ts';
import type { Endpoint } from './operation.ts';
import { readRequest } from './request.ts';
import type { SourceDatabase } from './working-copy.ts';

/** @throws EngineError */
export async function answerRequest<Database extends SourceDatabase>(
  engine: MetadataEngine<Database>,
  endpoint: Endpoint,
  body: string,
  session: Session,
): Promise<string> {
  const request = readRequest(endpoint, parseJson(body));
  if (session.role !== ADMIN_ROLE && !request.anyRole)
    throw new EngineError('access-denied', 'restricted access : admin only', { path: '$.args' });
  return answerText(await engine.execute(request, session));
}
