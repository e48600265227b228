/** Environment variables that addresses and headers of the metadata name: whether the server has them. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import {
  type ConfiguredHeader,
  type EnvironmentText,
  environmentVariablesOf,
} from '../../../runtime/core/environment-template.ts';

/** Names of the variables that are set; undefined where they are not known, as ahead of time. */
export type SetVariables = ReadonlySet<string> | undefined;

/** The problem of a call whose environment variable is not set. */
export function missingVariables(
  environment: SetVariables,
  address: EnvironmentText,
  headers: readonly ConfiguredHeader[],
  secrets: readonly string[] = [],
): Message | undefined {
  if (environment === undefined) return undefined;
  const isMissing = (name: string) => !environment.has(name);
  const texts = [address, ...headers.map(({ value }) => value)];
  const direct = [...texts.flatMap((text) => (typeof text === 'string' ? [] : [text.env])), ...secrets].find(
    isMissing,
  );
  if (direct !== undefined) return messages.environmentVariableNotSet({ name: direct });
  const missing = [...new Set(texts.flatMap(environmentVariablesOf))].filter(isMissing);
  return missing.length === 0
    ? undefined
    : messages.environmentVariablesNotFound({ names: missing.join(', ') });
}
