/** How the metadata, schema and legacy APIs write errors. */
import type { Json, JsonObject } from '../../compiler/model/metadata.ts';
import { EngineError } from '../core/errors.ts';

/** The error as an answer's body; `internal` only for those who may see it. Unexpected errors tell nothing. */
export function describeError(error: unknown, showInternal: boolean): JsonObject {
  if (!(error instanceof EngineError)) {
    return { path: '$', error: 'Internal Server Error', code: 'unexpected' };
  }
  const { path, message, code, internal } = error;
  return {
    path,
    error: message,
    code,
    ...(showInternal && internal !== undefined && { internal: internal as Json }),
  };
}
