/** Session variables as text: a line `name: value` for each. */

/**
 * The text with a line for each of the variables that it does not have, and without names that have no value. Anything else stays:
 * someone may be typing.
 */
export function withVariables(text: string, names: readonly string[]): string {
  const lines = text.split('\n').filter((line) => !/^\s*([\w-]+\s*:\s*)?$/.test(line));
  const has = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  return [...lines, ...names.filter((name) => !has(name)).map((name) => `${name}: `)].join('\n');
}
