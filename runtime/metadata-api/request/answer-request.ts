/** A request to the metadata, schema or legacy API from its text to the text of its answer. */
import { EngineError } from '../../core/errors.ts';
import { adminOnly } from '../../core/reason.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import { withoutAddress } from '../../database/connection-error.ts';
import { parseJson } from '../../http/body.ts';
import type { MetadataEngine } from '../change/engine.ts';
import type { SourceDatabase } from '../change/state.ts';
import { answerText } from './answer.ts';
import type { Endpoint, OperationRequester } from './operation.ts';
import { readRequest } from './request.ts';

/** Limits of what a server's metadata API does. */
export interface MetadataApiLimits {
  /** Roles other than admin may read and write rows here: not where they may run known operations only. */
  readonly dataForRoles: boolean;
  /** The metadata and the schemas of databases stay as they are. */
  readonly maintenance: boolean;
}

/** @throws EngineError */
export async function answerRequest<Database extends SourceDatabase>(
  engine: MetadataEngine<Database>,
  endpoint: Endpoint,
  body: string,
  requester: OperationRequester,
  { dataForRoles, maintenance }: MetadataApiLimits = { dataForRoles: true, maintenance: false },
): Promise<string> {
  const { session } = requester;
  const request = readRequest(endpoint, parseJson(body), session.vocabulary);
  if (session.role !== ADMIN_ROLE && !request.anyRole)
    throw new EngineError('access-denied', 'restricted access : admin only', {
      path: '$.args',
      reason: adminOnly(session.role),
    });
  if (session.role !== ADMIN_ROLE && !dataForRoles) {
    throw new EngineError(
      'access-denied',
      'the legacy data operations are for admin only where roles may run known operations only',
      {
        path: '$.args',
        reason: {
          rule: 'known-operations-only',
          why: 'the allow-list or only-saved-operations is enabled, and data operations are on neither list',
          path: 'enable-allowlist, only-saved-operations',
        },
      },
    );
  }
  if (maintenance && request.changesSchema)
    throw new EngineError(
      'not-supported',
      'neither metadata nor schemas can be changed: the server is in maintenance mode',
      { path: request.path },
    );
  try {
    return answerText(await engine.execute(request, requester));
  } catch (error) {
    throw withoutAddress(error, request.path);
  }
}
