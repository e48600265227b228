/** Reads remote schemas: first from locks beside the metadata, which need no network, then from the servers. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RemoteSchema } from '../../../runtime/metadata/metadata.ts';
import type { RemoteResult } from '../3-resolve/index.ts';

/** Introspects a remote schema: its SDL. @throws Error whose message may be shown */
export type ReadRemote = (remote: RemoteSchema) => Promise<string>;

/** Path of a lock: `remote_schemas/<name>.graphql` beside the metadata. */
export function lockPath(metadata: string, name: string): string {
  const isFolder = existsSync(metadata) && statSync(metadata).isDirectory();
  const file = `${name.replace(/[^\w.-]/g, '_')}.graphql`;
  return join(isFolder ? metadata : dirname(metadata), 'remote_schemas', file);
}

/** The text of a lock. */
export function lockText(name: string, sdl: string): string {
  return `# The remote schema ${JSON.stringify(name)}, written by: engine remote lock\n# sha256 ${hashOf(sdl)}\n\n${sdl}`;
}

/** A lock's SDL; undefined without a lock, and an error where it is not as it was written. */
export function readLock(metadata: string, name: string): RemoteResult | undefined {
  const path = lockPath(metadata, name);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  const [, hash, sdl = ''] = /^(?:#.*\n)*?# sha256 ([\da-f]{64})\n\n([\s\S]*)$/.exec(text) ?? [];
  if (hash === hashOf(sdl)) return { sdl };
  return { error: `the lock ${path} was changed by hand; write it again with engine remote lock` };
}

/** Remote schemas by name: of locks, or as the servers offer them. */
export async function readRemotes(
  remotes: readonly RemoteSchema[],
  metadata: string,
  read: ReadRemote,
): Promise<Record<string, RemoteResult>> {
  const entries = remotes.map(
    async (remote) =>
      [remote.name, readLock(metadata, remote.name) ?? (await readLive(remote, read))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** A remote schema as its server offers it now. */
export async function readLive(remote: RemoteSchema, read: ReadRemote): Promise<RemoteResult> {
  try {
    return { sdl: await read(remote) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function hashOf(sdl: string): string {
  return createHash('sha256').update(sdl).digest('hex');
}
