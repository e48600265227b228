/** Transforms of a webhook's request and answer: kept as given here, read where the webhook is called. */
import { key, optional } from '../combinators.ts';
import { jsonObject } from '../values.ts';

export const requestTransform = key(
  'Changes the request before it is sent: see [transforms](actions.md).',
  optional(jsonObject),
);
export const responseTransform = key(
  'Changes the answer before it is read: see [transforms](actions.md).',
  optional(jsonObject),
);
