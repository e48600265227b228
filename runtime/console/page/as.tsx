/** The role and session variables that rows are read and operations are run with: chosen once, remembered by the browser. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { parseExactJson } from '../../core/json/exact-json.ts';
import type { AccessAnswer } from '../questions.ts';
import { SessionVariables, variablesOf } from './session.tsx';
import { withVariables } from './variable-lines.ts';

interface As {
  readonly role: string;
  /** Session variables, each on a line `name: value`. */
  readonly session: string;
}

const KEY = 'engine.console.as';
const ADMIN: As = { role: 'admin', session: '' };

let current = remembered();
const listeners = new Set<() => void>();

/** Browsers may refuse to store anything; then it lasts as long as the page. */
function remembered(): As {
  try {
    const { role, session } = parseExactJson(localStorage.getItem(KEY) ?? '{}') as Partial<As>;
    return typeof role === 'string' && typeof session === 'string' ? { role, session } : ADMIN;
  } catch {
    return ADMIN;
  }
}

function choose(next: As): void {
  current = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {}
  for (const listener of listeners) listener();
}

/** What is chosen at the moment, for callbacks that outlast a rendering. */
export function chosen(): As {
  return current;
}

export function useAs(): As {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosen);
}

/** Fields that choose it. */
export function RunAs({ access }: { readonly access: AccessAnswer | undefined }) {
  const { role, session } = useAs();
  const [problem, setProblem] = useState<Error>();
  const known = ['admin', ...(access?.roles ?? [])];
  // One that was remembered may have no permission any more.
  const roles = known.includes(role) ? known : [...known, role];
  const offer = (wanted: string) =>
    variablesOf(wanted).then((names) => {
      setProblem(undefined);
      if (current.role === wanted) choose({ ...current, session: withVariables(current.session, names) });
    }, setProblem);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for a role that was remembered
  useEffect(() => {
    void offer(role);
  }, []);
  return (
    <>
      <label>
        Run as
        <select
          value={role}
          onChange={({ target }) => {
            choose({ ...current, role: target.value });
            void offer(target.value);
          }}
        >
          {roles.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <SessionVariables text={session} change={(text) => choose({ ...current, session: text })} />
      {problem && (
        <span className="problem" role="alert">
          {problem.message}
        </span>
      )}
    </>
  );
}
