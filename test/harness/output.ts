/**
 * Everything that the tests make servers and programs write: logs, answers, what goes to standard output and error. At the
 * end of the run all of it is searched for every secret that any test used (see global-setup.ts). A worker runs many test
 * files with one copy of this module; setup.ts calls it for each of them.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';

/** Texts that nothing may write: secrets and tokens of the tests. */
export const confidential = new Set<string>();

/** What this test file made write so far. */
const written: string[] = [];

/** Shorter ones stand in other words. */
const MIN_LENGTH = 10;

/** Remembers what something wrote. */
export function record(text: string): void {
  written.push(text);
}

function longSecrets(): readonly string[] {
  return [...confidential].filter((secret) => secret.length >= MIN_LENGTH);
}

/** Which of the texts that were written hold a secret: empty unless something leaks. */
export function leaks(): readonly string[] {
  const secrets = longSecrets();
  return written.filter((text) => secrets.some((secret) => text.includes(secret)));
}

/** Whose output is recorded. A test file may get a console of its own. */
const recorded = new WeakSet<object>();

/** Records what goes to the streams and the console of the test file that begins. */
export function recordOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (recorded.has(stream)) continue;
    recorded.add(stream);
    const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
    stream.write = (...parts: unknown[]) => {
      if (typeof parts[0] === 'string') record(parts[0]);
      return write(...parts);
    };
  }
  if (recorded.has(console)) return;
  recorded.add(console);
  for (const name of ['log', 'info', 'warn', 'error'] as const) {
    const write = console[name].bind(console);
    console[name] = (...parts: unknown[]) => {
      record(parts.map(String).join(' '));
      write(...parts);
    };
  }
}

/** Leaves what was written since the last call, and every secret so far, for the search at the end of the run. */
export function saveOutput(): void {
  const file = expect.getState().testPath ?? 'unknown';
  const folder = inject('outputFolder');
  const secrets = longSecrets();
  const name = String(process.hrtime.bigint());
  appendFileSync(join(folder, `${name}.secrets`), secrets.map((secret) => JSON.stringify(secret)).join('\n'));
  appendFileSync(join(folder, `${name}.output`), `${file}\n${written.splice(0).join('\n')}`);
}
