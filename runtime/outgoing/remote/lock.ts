/** Locks of remote schemas: a schema as text with its hash, one file for each remote schema in a folder. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A lock that was read, or the reason why it cannot be used. */
export type Lock = { readonly sdl: string } | { readonly error: string };

/** Path of a lock: `<name>.graphql` in the folder. */
export function lockFile(folder: string, name: string): string {
  return join(folder, `${name.replace(/[^\w.-]/g, '_')}.graphql`);
}

/** The text of a lock. */
export function lockText(name: string, sdl: string): string {
  return `# The remote schema ${JSON.stringify(name)}, written by: engine remote lock\n# sha256 ${hashOf(sdl)}\n\n${sdl}`;
}

/** Reads a lock: undefined without a file, an error if the text does not match its hash. */
export function readLock(folder: string, name: string): Lock | undefined {
  const path = lockFile(folder, name);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  const [, hash, sdl = ''] = /^(?:#.*\n)*?# sha256 ([\da-f]{64})\n\n([\s\S]*)$/.exec(text) ?? [];
  if (hash === hashOf(sdl)) return { sdl };
  return { error: `the lock ${path} was changed by hand; write it again with engine remote lock` };
}

function hashOf(sdl: string): string {
  return createHash('sha256').update(sdl).digest('hex');
}
