/** Where something is sent: addresses and headers with the values of environment variables. */

import type { DeliveryShape, RetryShape } from '../core/contract/events.ts';
import type { Environment } from '../core/environment-template.ts';
import { type RequestTransform, readRequestTransform } from '../core/template/definition.ts';
import { prepareService, type Service } from '../outgoing/call.ts';
import { POST_HEADERS, shownValue } from '../outgoing/headers.ts';
import { readSecret } from './signature.ts';

export interface Target extends Pick<Service, 'url' | 'headers'> {
  /** The form in the metadata, for logs. */
  readonly urlTemplate: string;
  /** The form for logs: variables' names instead of their values. */
  readonly loggedHeaders: readonly object[];
  readonly retry: RetryShape;
  readonly transform?: RequestTransform;
  /** Secrets that sign calls. */
  readonly secrets?: readonly Buffer[];
}

/** Headers that only this server sets; configuration cannot override them. */
const FIXED = new Set(POST_HEADERS.map(({ name }) => name.toLowerCase()));

/** A target, or the environment variables that are missing or hold no secret where one is expected. */
export function resolveTarget(
  { webhook, headers: given, retry, requestTransform, signing }: DeliveryShape,
  environment: Environment,
): Target | { readonly missing: readonly string[] } {
  const configured = given.filter(({ name }) => !FIXED.has(name.toLowerCase()));
  const { url, headers, missing: unset } = prepareService(webhook, configured, environment);
  const secrets = signing?.map((variable) => readSecret(environment[variable]));
  const missing = [...unset, ...(signing ?? []).filter((_, index) => !secrets![index])];
  if (missing.length > 0) return { missing: [...new Set(missing)] };
  return {
    url,
    urlTemplate: typeof webhook === 'string' ? webhook : webhook.env,
    headers,
    loggedHeaders: configured.map(({ name, value }, index) =>
      typeof value === 'string'
        ? { name, value: shownValue(headers[index]!) }
        : { name, value_from_env: value.env },
    ),
    retry,
    ...(secrets && { secrets: secrets as Buffer[] }),
    ...(requestTransform === undefined ? {} : { transform: readRequestTransform(requestTransform) }),
  };
}
