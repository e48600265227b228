/** Texts of the metadata in which `{{NAME}}` refers to an environment variable: addresses and header values. */

const HOLE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** Names of the variables that a text needs, each once. */
export function variablesOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(HOLE)].map(([, name]) => name!))];
}

export interface FilledTemplate {
  readonly text: string;
  /** Variables without a value; the text is unusable when there are any. */
  readonly missing: readonly string[];
}

/** Puts values of variables in the place of their names. */
export function fillTemplate(
  template: string,
  environment: Readonly<Record<string, string | undefined>>,
): FilledTemplate {
  const value = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  const missing = variablesOf(template).filter((name) => value(name) === undefined);
  return { text: template.replaceAll(HOLE, (_hole, name: string) => value(name) ?? ''), missing };
}

/** Variables of a process by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
