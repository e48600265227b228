/** How the metadata, schema and legacy APIs write answers and errors. */

import { EngineError } from '../../core/errors.ts';
import { jsonText } from '../../core/types.ts';
import type { Json, JsonObject } from '../../metadata/metadata.ts';

/** JSON that Postgres wrote: passed on as text, so that numbers keep all their digits. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The answer of an operation; for a bulk the list of its steps' answers. */
export type Answer = Json | JsonText | readonly Answer[];

export function answerText(answer: Answer): string {
  if (answer instanceof JsonText) return answer.text;
  return Array.isArray(answer)
    ? `[${(answer as readonly Answer[]).map(answerText).join(',')}]`
    : jsonText(answer);
}

/** The error as an answer's body; `internal` only for those who may see it. Unexpected errors reveal nothing. */
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
