/** Texts of the metadata in which `{{NAME}}` refers to an environment variable: addresses and header values. */

const HOLE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** A text with `{{NAME}}` for environment variables, or the name of the variable that holds all of it. */
export type EnvironmentText = string | { readonly env: string };

/** A header that is sent with calls, as configured. */
export interface ConfiguredHeader {
  readonly name: string;
  readonly value: EnvironmentText;
}

/** Names of the variables that a text needs, each once. */
export function environmentVariablesOf(text: EnvironmentText): readonly string[] {
  if (typeof text !== 'string') return [text.env];
  return [...new Set([...text.matchAll(HOLE)].map(([, name]) => name!))];
}

/** How a text is shown: names of variables in braces. */
export function shownText(text: EnvironmentText): string {
  return typeof text === 'string' ? text : `{{${text.env}}}`;
}

export interface FilledTemplate {
  readonly text: string;
  /** Variables without a value; the text is unusable when there are any. */
  readonly missing: readonly string[];
}

/** Puts values of variables in the place of their names. */
export function fillTemplate(template: EnvironmentText, environment: Environment): FilledTemplate {
  const value = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  const missing = environmentVariablesOf(template).filter((name) => value(name) === undefined);
  const text =
    typeof template === 'string'
      ? template.replaceAll(HOLE, (_hole, name: string) => value(name) ?? '')
      : (value(template.env) ?? '');
  return { text, missing };
}

/** Variables of a process by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
