/** Reads the schema of a remote server. */

import { createHash } from 'node:crypto';
import { EngineError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { MalformedJson } from '../../core/json/scanner.ts';
import {
  INTROSPECTION_BODIES,
  InvalidIntrospection,
  introspectionToSdl,
} from '../../core/remotes/introspection.ts';
import type { RemoteSchemaShape } from '../../core/remotes/shapes.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { OutgoingResponse } from '../message.ts';
import { describeAnswer, hasResponseErrors, splitAnswer } from './answer.ts';
import { callRemote, prepareTarget, type RemoteCallOptions, type RemoteTarget } from './call.ts';

const ADMIN = { role: ADMIN_ROLE, variables: { 'x-engine-role': ADMIN_ROLE }, backendOnly: false };

type IntrospectionTarget = Pick<RemoteSchemaShape, 'url' | 'headers' | 'timeout'>;

interface SchemaReaderOptions extends RemoteCallOptions {
  readonly vocabulary: Vocabulary;
}

/**
 * Returns a reader of remote schemas. It introspects a server with the configured headers, as an administrator, and returns
 * SDL in canonical form: equal schemas give equal texts. An answer with the same bytes as the last one is not parsed again.
 * @throws EngineError remote-schema-error, or invalid-params for an address with unset variables
 */
export function createSchemaReader(
  options: SchemaReaderOptions,
): (name: string, target: IntrospectionTarget) => Promise<string> {
  const last = new Map<string, { readonly digest: string; readonly sdl: string }>();
  return async (name, target) => {
    const known = last.get(name);
    const { response, digest } = await askForSchema({ ...target, name }, options, known?.digest);
    if (digest === known?.digest) return known.sdl;
    const sdl = readIntrospection(response);
    last.set(name, { digest, sdl });
    return sdl;
  };
}

/** What older servers do not know of introspection. */
const ADDED = /isOneOf|specifiedByURL|includeDeprecated|isDeprecated|deprecationReason|isRepeatable/;

/** Asks for less where the server refuses a part of the question. @param known digest of an answer that is not a refusal */
async function askForSchema(
  target: RemoteTarget,
  options: SchemaReaderOptions,
  known: string | undefined,
): Promise<{ readonly response: OutgoingResponse; readonly digest: string }> {
  const prepared = prepareTarget(target, options.environment);
  const bodies = [...INTROSPECTION_BODIES];
  for (;;) {
    const response = await callRemote(
      prepared,
      bodies.shift()!,
      true,
      { session: { ...ADMIN, vocabulary: options.vocabulary } },
      options,
    );
    const digest = createHash('sha256').update(response.body).digest('hex');
    const refusal = digest === known ? undefined : refusalOf(response);
    if (refusal === undefined || bodies.length === 0) return { response, digest };
    // A refusal that names nothing may be of any part.
    if (!ADDED.test(refusal)) bodies.splice(0, bodies.length - 1);
  }
}

/** The errors of an answer without data. */
function refusalOf({ body }: OutgoingResponse): string | undefined {
  try {
    const answer = splitAnswer(body.toString('utf8'));
    return hasResponseErrors(answer) && (answer.data === undefined || answer.data === 'null')
      ? answer.errors
      : undefined;
  } catch (error) {
    if (error instanceof MalformedJson) return undefined;
    throw error;
  }
}

/** @throws EngineError remote-schema-error */
function readIntrospection(response: OutgoingResponse): string {
  try {
    const answer = splitAnswer(response.body.toString('utf8'));
    const { data = 'null', errors } = answer;
    if (hasResponseErrors(answer) && data === 'null')
      throw new EngineError(
        'remote-schema-error',
        'the remote schema refuses to be introspected: introspection is off, or it is for other clients',
        { internal: { errors: parseExactJson(errors!) } },
      );
    if (data === 'null')
      throw new EngineError(
        'remote-schema-error',
        `not a GraphQL server, or introspection is off: the answer has neither data nor errors (${describeAnswer(response)})`,
      );
    return introspectionToSdl(parseExactJson(data));
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new EngineError(
        'remote-schema-error',
        `the answer to the introspection query is not JSON: ${error.message}; ${describeAnswer(response)}`,
      );
    if (error instanceof InvalidIntrospection) {
      const isThere = !/^Error in \$(?:\.__schema)?:/.test(error.message);
      const message = isThere
        ? error.message
        : `not a GraphQL server, or introspection is off: ${error.message}`;
      throw new EngineError('remote-schema-error', message);
    }
    throw error;
  }
}
