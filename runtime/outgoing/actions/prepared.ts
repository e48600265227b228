/** Actions ready to be called: environment variables filled in, transforms parsed. Made once for each declared action. */
import type { CalledAction } from '../../core/action/plan.ts';
import { type Environment, fillTemplate } from '../../core/environment-template.ts';
import {
  type RequestTransform,
  type ResponseTransform,
  readRequestTransform,
  readResponseTransform,
} from '../../core/template/definition.ts';
import { fillHeaders, type ShownHeader } from '../headers.ts';

export interface PreparedAction {
  readonly shape: CalledAction;
  readonly url: string;
  /** As configured, in their order. */
  readonly headers: readonly ShownHeader[];
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
  /** Environment variables without a value: the action cannot be called. */
  readonly missing: readonly string[];
}

export function prepareAction(shape: CalledAction, environment: Environment): PreparedAction {
  const url = fillTemplate(shape.handler, environment);
  const { headers, missing } = fillHeaders(shape.headers, environment);
  return {
    shape,
    url: url.text,
    headers,
    requestTransform: shape.requestTransform ? readRequestTransform(shape.requestTransform) : undefined,
    responseTransform: shape.responseTransform ? readResponseTransform(shape.responseTransform) : undefined,
    missing: [...new Set([...url.missing, ...missing])],
  };
}
