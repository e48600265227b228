/** The server's configuration: reads options from the command line, then the environment, then defaults. */

import type { Environment } from '../core/environment-template.ts';
import { EXTENSIONS, type NamingOptions } from '../core/names.ts';
import type { SavedOptions } from '../core/saved/saved.ts';
import { CANONICAL, isVocabularyWord, VOCABULARY_VARIABLE, type Vocabulary } from '../core/vocabulary.ts';
import type { JwtConfiguration } from '../session/jwt/configuration.ts';
import { type Option, optionsIn } from './options.ts';
import type { OptionValue } from './values.ts';

type Options = ReturnType<typeof optionsIn>;
type OptionKey = keyof Options;

/** The server's configuration: a value for every option. */
export type Configuration = {
  readonly [Key in OptionKey]: Options[Key] extends Option<infer Value> ? Value : never;
};

/** A setting that stops the start. The message names the option or variable and the reason, never a secret. */
export class ConfigurationError extends Error {}

/** Name on the command line: `serverPort` → `server-port`. */
export function optionName(key: string): string {
  return key
    .replace(/401/, '-401-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace('--', '-');
}

/** Environment variable of an option: `ENGINE_GRAPHQL_SERVER_PORT`, by the vocabulary's word. */
export function optionVariable(
  key: string,
  vocabulary: Vocabulary,
  { variable }: Option = optionsIn(vocabulary)[key as OptionKey],
): string {
  if (key === 'vocabulary') return VOCABULARY_VARIABLE;
  return vocabulary.environment(variable ?? optionName(key).toUpperCase().replaceAll('-', '_'));
}

/**
 * Reads the configuration; the vocabulary before everything else, which depends on it.
 * @param flags values from the command line by key of an option; `true` for a flag without a value
 * @throws ConfigurationError on a bad value, or on options that exclude each other
 */
export function readConfiguration(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): Configuration {
  const given: Given = { flags, environment };
  const vocabulary = readOption(
    'vocabulary',
    optionsIn(CANONICAL).vocabulary,
    given,
    CANONICAL,
  ) as Vocabulary;
  const options = Object.entries<Option>(optionsIn(vocabulary));
  refuseForeignVariables(options, environment, vocabulary);
  const configuration = Object.fromEntries(
    options.map(([key, option]) => [key, readOption(key, option, given, vocabulary)]),
  ) as Configuration;
  checkTogether(configuration);
  if (adminSecrets(configuration).length === 0) refuseSecretOfAnotherWord(environment, vocabulary);
  return configuration;
}

interface Given {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
}

function readOption(
  key: string,
  option: Option,
  { flags, environment }: Given,
  vocabulary: Vocabulary,
): unknown {
  const { type, default: defaultValue } = option;
  const flag = flags[key];
  if (flag !== undefined)
    return parse(type, flag === true ? 'true' : String(flag), `Option --${optionName(key)}`);
  const variable = optionVariable(key, vocabulary, option);
  const fromEnvironment = environment[variable];
  if (fromEnvironment === undefined) return defaultValue;
  return parse(type, fromEnvironment, `Environment variable ${variable}`);
}

/** An option that is set in another vocabulary would be ignored, an admin secret for instance. */
function refuseForeignVariables(
  options: readonly (readonly [string, Option])[],
  environment: Given['environment'],
  vocabulary: Vocabulary,
): void {
  if (vocabulary.isCanonical) return;
  for (const [key, option] of options) {
    const canonical = optionVariable(key, CANONICAL, option);
    for (const name of [canonical, `${canonical}_FILE`])
      if (key !== 'vocabulary' && environment[name] !== undefined)
        throw new ConfigurationError(
          `Environment variable ${name} is not read in the vocabulary "${vocabulary.word}"; set ${optionVariable(key, vocabulary, option)}`,
        );
  }
}

/** Without the vocabulary of an engine whose settings are there, the server would be open. */
function refuseSecretOfAnotherWord(environment: Given['environment'], vocabulary: Vocabulary): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!value) continue;
    const word = /^([A-Z0-9]+)_GRAPHQL_(?:ADMIN_SECRETS?|ACCESS_KEY)(?:_FILE)?$/
      .exec(name)?.[1]
      ?.toLowerCase();
    if (word !== undefined && word !== vocabulary.word && isVocabularyWord(word))
      throw new ConfigurationError(
        `Environment variable ${name} is not read in the vocabulary "${vocabulary.word}", and there is no admin secret; give --vocabulary ${word}, or set ${optionVariable('adminSecret', vocabulary)}`,
      );
  }
}

function parse(type: OptionValue<unknown>, value: string, place: string): unknown {
  try {
    return type.parse(value);
  } catch (error) {
    throw new ConfigurationError(`${place}: ${(error as Error).message}`);
  }
}

/** Secrets of administrators; empty in open mode. */
export function adminSecrets(configuration: Configuration): readonly string[] {
  if (configuration.adminSecrets) return configuration.adminSecrets;
  const single = configuration.adminSecret ?? configuration.accessKey;
  return single === undefined ? [] : [single];
}

/** True if every request is an administrator's. Tokens and the authentication hook need an admin secret. */
export function isUnprotected(configuration: Configuration): boolean {
  return adminSecrets(configuration).length === 0;
}

/** How tokens are verified; undefined when none are accepted. */
export function jwtConfigurations({
  jwtSecrets,
  jwtSecret,
}: Configuration): readonly JwtConfiguration[] | undefined {
  return jwtSecrets ?? (jwtSecret && [jwtSecret]);
}

/** Refuses combinations of options that exclude each other. */
function checkTogether(configuration: Configuration): void {
  const { authHook, unauthorizedRole } = configuration;
  const secured = adminSecrets(configuration).length > 0;
  const token = jwtConfigurations(configuration) !== undefined;
  const refuse = (reason: string): never => {
    throw new ConfigurationError(reason);
  };
  if (!secured && authHook !== undefined) refuse('auth-hook needs an admin-secret');
  if (!secured && token) refuse('jwt-secret needs an admin-secret');
  if (configuration.wsReadCookie && !configuration.disableCors) refuse('ws-read-cookie needs disable-cors');
  if (authHook !== undefined && token) refuse('auth-hook and jwt-secret exclude each other');
  if (unauthorizedRole !== undefined && !secured) refuse('unauthorized-role needs an admin-secret');
  if (unauthorizedRole !== undefined && authHook !== undefined) {
    refuse('unauthorized-role and auth-hook exclude each other');
  }
}

/** What one worker may use of what the server may; 0 is unlimited. */
export function shareOf(total: number, { workers }: Pick<Configuration, 'workers'>): number {
  return total === 0 ? 0 : Math.max(1, Math.floor(total / workers));
}

/** The default as it would be written; empty if there is no default. */
export function defaultText({ default: value, type }: Option): string {
  if (value === undefined) return '';
  if (type.write) return type.write(value);
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** One line of help for an option, with what is not obvious from its name. */
export function optionHelp(key: string, option: Option, vocabulary: Vocabulary): string {
  const shown = defaultText(option);
  const parts = [
    ...(shown === '' ? [] : [`default ${shown}`]),
    `env ${optionVariable(key, vocabulary, option)}`,
  ];
  return `${option.help} (${parts.join('; ')})`;
}

/** The options on which the SQL of operations depends. */
export function servingOptions(configuration: Configuration): SavedOptions {
  const has = (feature: string) => configuration.experimentalFeatures.includes(feature);
  return {
    stringifyNumbers: configuration.stringifyNumericTypes,
    collapseNulls: configuration.v1BooleanNullCollapse,
    inferFunctionPermissions: configuration.inferFunctionPermissions,
    ...(configuration.nullInNonnullableVariables && { lenientNulls: true }),
    ...(configuration.queryTags && { queryTags: true }),
    ...(configuration.enableRemoteSchemaPermissions && { remoteSchemaPermissions: true }),
    ...(configuration.remoteSchemaSkipNulls && { skipRemoteNulls: true }),
    ...(configuration.restrictAggregateOrder && { restrictAggregateOrder: true }),
    ...(has('no_null_unbound_variable_default') && { omitUnboundVariables: true }),
    ...(has('hide_aggregation_predicates') && { hideAggregationPredicates: true }),
    ...(has('hide_update_many_fields') && { hideUpdateMany: true }),
    ...((configuration.enableApolloFederation || has('apollo_federation')) && { apolloFederation: true }),
  };
}

/** The options on which the compiler's names and types depend. */
export function namingOptions({
  experimentalFeatures: features,
  defaultNamingConvention,
}: Configuration): NamingOptions {
  const extensions = EXTENSIONS.filter((each) => features.includes(each));
  return {
    enabled: features.includes('naming_convention') || features.includes('early_naming_convention'),
    default: defaultNamingConvention,
    ...(features.includes('early_naming_convention') && { early: true }),
    ...(features.includes('disable_postgres_arrays') && { arraysAsScalars: true }),
    ...(extensions.length > 0 && { extensions }),
  };
}
