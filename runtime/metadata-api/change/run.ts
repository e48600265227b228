/** Runs the operations of one request, in order, on one working copy, and judges each by its policy. */
import { EngineError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json/json.ts';
import type { Answer } from '../request/answer.ts';
import type { OperationRequester } from '../request/operation.ts';
import type { MetadataRequest } from '../request/request.ts';
import { withWarnings } from '../request/warning.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Runs a request; errors come out with the path that the endpoint uses. */
export async function runRequest(
  request: MetadataRequest,
  copy: WorkingCopy,
  requester: OperationRequester,
): Promise<Answer> {
  const { operation, endpoint, version, path } = request;
  const before = copy.baseline();
  try {
    if (request.changesMetadata) copy.modified = true;
    const known = copy.warnings.length;
    const answer = await operation.run(request.args as never, copy, { ...requester, endpoint, version });
    if (operation.policy !== undefined) {
      await copy.accept(operation.policy, before, operation.targets?.(request.args as never) ?? []);
    }
    const ignored = request.changesMetadata || isDone(answer) ? request.unknownKeys : [];
    return withWarnings(answer, [...ignored, ...copy.warnings.slice(known)]);
  } catch (error) {
    throw error instanceof EngineError ? placed(error, path) : error;
  }
}

/** The answer of an operation that did something; others answer with what was asked for, which is no place for warnings. */
function isDone(answer: Answer): boolean {
  return isObject(answer as Json) && (answer as JsonObject).message === 'success';
}

/** Runs a step of a bulk; its errors have absolute paths already. */
export class StepFailed extends EngineError {}

function placed(error: EngineError, base: string): EngineError {
  if (error instanceof StepFailed) return error;
  const path = base + error.path.slice(1);
  return new StepFailed(error.code, error.message, {
    path,
    status: error.status,
    internal: error.internal,
    reason: error.reason,
    cause: error,
  });
}
