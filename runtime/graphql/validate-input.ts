/** Has the webhooks of permissions agree to the input of a mutation, before anything of it is written. */
import { EngineError } from '../core/errors.ts';
import type { MutationStep } from '../core/mutation/step.ts';
import { sourceValue } from '../core/request/bind.ts';
import type { Request } from './request.ts';

/** A step, and the path of its field. */
export interface AskingStep {
  readonly step: MutationStep;
  readonly path?: string | undefined;
}

/**
 * Asks all webhooks at once. Of several refusals the first in the order of the request is reported.
 * @throws EngineError unless all agree
 */
export async function validateInput(steps: readonly AskingStep[], request: Request): Promise<void> {
  const asked = steps.flatMap(({ step, path = '$' }) =>
    step.kind === 'constant' ? [] : (step.questions ?? []).map((question) => ({ ...question, path })),
  );
  if (asked.length === 0) return;
  const { inputValidator } = request.served;
  if (!inputValidator)
    throw new EngineError(
      'not-supported',
      'the input has to be validated by a webhook, which nothing here can ask',
      {
        path: asked[0]!.path,
      },
    );
  const answers = asked.map(({ input, ...question }) =>
    inputValidator({ ...question, input: sourceValue(input, request.variables) }, request),
  );
  // A refusal does not wait for those behind it, whose own refusals then count no more.
  for (const answer of answers) answer.catch(() => {});
  for (const answer of answers) await answer;
}
