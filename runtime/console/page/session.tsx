/** The session that operations are run or explained with: a role, and its variables as lines `name: value`. */
import { named, read } from './api.ts';

/** The headers of a session: the role, and a variable for each line `name: value`. @throws Error */
export function sessionOf(role: string, text: string): Record<string, string> {
  const session: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([\w-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`Write session variables as "name: value", one in each line, not "${line.trim()}".`);
    if (value.trim() !== '') session[name.toLowerCase()] = value.trim();
  }
  return { ...session, [named('role')]: role };
}

/** The variables that rules of the role compare with. @throws Refusal */
export function variablesOf(role: string): Promise<readonly string[]> {
  return read(`/engine/console/variables?${new URLSearchParams({ role })}`);
}

/** The text with a line for each of the variables that it does not have, and without those that have no value. */
export function withVariables(text: string, names: readonly string[]): string {
  const lines = text.split('\n').filter((line) => /:\s*\S/.test(line));
  const has = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  return [...lines, ...names.filter((name) => !has(name)).map((name) => `${name}: `)].join('\n');
}

export function SessionVariables({
  text,
  change,
}: {
  readonly text: string;
  readonly change: (text: string) => void;
}) {
  return (
    <label className="session">
      Session variables
      <textarea
        rows={2}
        value={text}
        placeholder={`${named('user-id')}: 1`}
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}
