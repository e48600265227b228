/** Reads the schema of a remote server. */

import { createHash } from 'node:crypto';
import { EngineError } from '../core/errors.ts';
import { parseExactJson } from '../core/json/exact-json.ts';
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

type IntrospectionTarget = Pick<RemoteSchemaShape, 'url' | 'headers' | 'timeout'>;

/**
 * Returns a reader of remote schemas. It introspects a server with the configured headers, as an administrator, and returns
 * SDL in canonical form: equal schemas give equal texts. An answer with the same bytes as the last one is not parsed again.
 * @throws EngineError remote-schema-error, or invalid-params for an address with unset variables
 */
export function createSchemaReader(
  options: CallOptions,
): (name: string, target: IntrospectionTarget) => Promise<string> {
  const last = new Map<string, { readonly digest: string; readonly sdl: string }>();
  return async (name, target) => {
    const body = await askForSchema(target, options);
    const digest = createHash('sha256').update(body).digest('hex');
    const known = last.get(name);
    if (known?.digest === digest) return known.sdl;
    const sdl = readIntrospection(body);
    last.set(name, { digest, sdl });
    return sdl;
  };
}

async function askForSchema(target: IntrospectionTarget, options: CallOptions): Promise<Buffer> {
  return (await callRemote(target, INTROSPECTION_BODY, true, { session: ADMIN }, options)).body;
}

/** @throws EngineError remote-schema-error */
function readIntrospection(body: Buffer): string {
  try {
    const answer = splitAnswer(body.toString('utf8'));
    if (hasErrors(answer) && (answer.data === undefined || answer.data === 'null'))
      throw new EngineError('remote-schema-error', 'the remote schema refuses to be introspected', {
        internal: { errors: parseExactJson(answer.errors!) },
      });
    return introspectionToSdl(parseExactJson(answer.data ?? 'null'));
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
