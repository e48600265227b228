/** Where something is sent: addresses and headers with the values of environment variables. */

import type { DeliveryShape, RetryShape } from '../core/contract/events.ts';
import { type Environment, fillTemplate } from '../core/environment-template.ts';
import { type RequestTransform, readRequestTransform } from '../core/template/definition.ts';
import { isRedacted } from '../outgoing/message.ts';
import { readSecret } from './signature.ts';

export interface Target {
  readonly url: string;
  /** The form in the metadata, for logs. */
  readonly urlTemplate: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The form for logs: variables' names instead of their values. */
  readonly loggedHeaders: readonly object[];
  readonly retry: RetryShape;
  readonly transform?: RequestTransform;
  /** Secrets that sign calls. */
  readonly secrets?: readonly Buffer[];
}

/** Headers that only this server sets; configuration cannot override them. */
const FIXED = new Set(['content-type', 'user-agent']);

/** A target, or the environment variables that are missing or hold no secret where one is expected. */
export function resolveTarget(
  { webhook, headers: given, retry, requestTransform, signing }: DeliveryShape,
  environment: Environment,
): Target | { readonly missing: readonly string[] } {
  const template = 'template' in webhook ? webhook.template : `{{${webhook.variable}}}`;
  const url = fillTemplate(template, environment);
  const headers = given.filter(({ name }) => !FIXED.has(name.toLowerCase()));
  const filled = headers.map((header) => {
    const value = 'value' in header ? header.value : `{{${header.variable}}}`;
    return { header, ...fillTemplate(value, environment) };
  });
  const secrets = signing?.map((variable) => ({ variable, secret: readSecret(environment[variable]) }));
  const missing = [
    ...[url, ...filled].flatMap((each) => each.missing),
    ...(secrets ?? []).flatMap(({ variable, secret }) => (secret ? [] : [variable])),
  ];
  if (missing.length > 0) return { missing: [...new Set(missing)] };
  return {
    url: url.text,
    urlTemplate: 'template' in webhook ? webhook.template : webhook.variable,
    headers: filled.map(({ header, text }) => [header.name, text] as const),
    loggedHeaders: headers.map((header) =>
      'value' in header
        ? { name: header.name, value: isRedacted(header.name) ? '<redacted>' : header.value }
        : { name: header.name, value_from_env: header.variable },
    ),
    retry,
    ...(secrets && { secrets: secrets.map(({ secret }) => secret!) }),
    ...(requestTransform === undefined ? {} : { transform: readRequestTransform(requestTransform) }),
  };
}
