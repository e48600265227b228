/** Warnings beside answers of the metadata API. */
import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import { formatPath } from '../../core/diagnostics/path.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { type Answer, JsonText } from './answer.ts';

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly type: string;
  readonly name: string;
}

/** A diagnostic as a warning, with its advice. @param name the place; by default that in the metadata */
export function describeWarning(
  { message, details = [], code, path }: Diagnostic,
  name = formatPath(path),
): Warning {
  return { message: [message, ...details].join(' '), code, type: 'metadata', name };
}

/** `warnings` beside the rest of an answer, if there are any. */
export function withWarnings(answer: Answer, warnings: readonly Warning[]): Answer {
  if (warnings.length === 0 || answer === null || typeof answer !== 'object') return answer;
  if (Array.isArray(answer) || answer instanceof JsonText) return answer;
  const { warnings: own = [], ...rest } = answer as JsonObject;
  return { ...rest, warnings: [...(own as readonly Json[]), ...(warnings as unknown as readonly Json[])] };
}
