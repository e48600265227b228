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
