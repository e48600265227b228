/** Reads the schema of a remote server. */
import { EngineError } from '../core/errors.ts';
import { MalformedJson } from '../core/json/scanner.ts';
import {
  INTROSPECTION_BODY,
  InvalidIntrospection,
  introspectionToSdl,
} from '../core/remotes/introspection.ts';
import type { RemoteSchemaShape } from '../core/remotes/shapes.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import { hasErrors, splitAnswer } from './answer.ts';
import { type CallOptions, callRemote } from './call.ts';

const ADMIN = { role: ADMIN_ROLE, variables: { 'x-engine-role': ADMIN_ROLE }, backendOnly: false };

export interface Introspection {
  /** Canonical: equal schemas give equal texts. */
  readonly sdl: string;
  /** The answer as it came. */
  readonly text: string;
}

/**
 * Introspects a server with the configured headers, as an administrator.
 * @throws EngineError remote-schema-error, or invalid-params for an address that cannot be made out
 */
export async function introspectRemote(
  target: Pick<RemoteSchemaShape, 'url' | 'headers' | 'timeout'>,
  options: CallOptions,
): Promise<Introspection> {
  const response = await callRemote(target, INTROSPECTION_BODY, true, { session: ADMIN }, options);
  const text = response.body.toString('utf8');
  try {
    const answer = splitAnswer(text);
    if (hasErrors(answer) && (answer.data === undefined || answer.data === 'null'))
      throw new EngineError('remote-schema-error', 'the remote schema refuses to be introspected', {
        internal: { errors: JSON.parse(answer.errors!) as unknown },
      });
    return { sdl: introspectionToSdl(JSON.parse(answer.data ?? 'null')), text };
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new EngineError(
        'remote-schema-error',
        `the answer to the introspection query is not JSON: ${error.message}`,
      );
    if (error instanceof InvalidIntrospection) throw new EngineError('remote-schema-error', error.message);
    throw error;
  }
}
