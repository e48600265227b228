/** Actions ready to be called: environment variables filled in, transforms parsed. Made once for each declared action. */
import type { CalledAction } from '../../core/action/plan.ts';
import type { Environment } from '../../core/environment-template.ts';
import {
  type RequestTransform,
  type ResponseTransform,
  readRequestTransform,
  readResponseTransform,
} from '../../core/template/definition.ts';
import { prepareService, type Service } from '../call.ts';

export interface PreparedAction extends Service {
  readonly shape: CalledAction;
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
}

export function prepareAction(shape: CalledAction, environment: Environment): PreparedAction {
  return {
    shape,
    ...prepareService(shape.handler, shape.headers ?? [], environment),
    requestTransform: shape.requestTransform ? readRequestTransform(shape.requestTransform) : undefined,
    responseTransform: shape.responseTransform ? readResponseTransform(shape.responseTransform) : undefined,
  };
}
