/** Environment variables that addresses and headers of the metadata name: whether the server has them. */

import { diagnostics as messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { variablesOf } from '../../../runtime/core/environment-template.ts';
import type { Address, Header } from '../../../runtime/metadata/kinds/shared.ts';

/** Names of the variables that are set; undefined where they are not known, as ahead of time. */
export type SetVariables = ReadonlySet<string> | undefined;

/** The problem of a call whose environment variable is not set. */
export function missingVariables(
  environment: SetVariables,
  address: Address,
  headers: readonly Header[],
  secrets: readonly string[] = [],
): Message | undefined {
  if (environment === undefined) return undefined;
  const isMissing = (name: string) => !environment.has(name);
  const direct = [
    ...(address.kind === 'environment' ? [address.variable] : []),
    ...headers.flatMap((header) => ('value' in header ? [] : [header.value_from_env])),
    ...secrets,
  ].find(isMissing);
  if (direct !== undefined) return messages.environmentVariableNotSet({ name: direct });
  const templates = [
    ...(address.kind === 'template' ? [address.template] : []),
    ...headers.flatMap((header) => ('value' in header ? [header.value] : [])),
  ];
  const missing = [...new Set(templates.flatMap(variablesOf))].filter(isMissing);
  return missing.length === 0
    ? undefined
    : messages.environmentVariablesNotFound({ names: missing.join(', ') });
}
