/** Reads remote schemas: first from locks beside the metadata, which need no network, then from the servers. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RemoteOrError } from '../../../runtime/core/remotes/shapes.ts';
import type { RemoteSchema } from '../../../runtime/metadata/metadata.ts';
import { readLock } from '../../../runtime/outgoing/remote/lock.ts';

/** Introspects a remote schema: its SDL. @throws Error whose message may be shown */
export type ReadRemote = (remote: RemoteSchema) => Promise<string>;

/** The folder of locks: `remote_schemas` beside the metadata. */
export function lockFolder(metadata: string): string {
  const isFolder = existsSync(metadata) && statSync(metadata).isDirectory();
  return join(isFolder ? metadata : dirname(metadata), 'remote_schemas');
}

/** Remote schemas by name: of locks, or as the servers offer them. */
export async function readRemotes(
  remotes: readonly RemoteSchema[],
  metadata: string,
  read: ReadRemote,
): Promise<Record<string, RemoteOrError>> {
  const folder = lockFolder(metadata);
  const entries = remotes.map(
    async (remote) => [remote.name, readLock(folder, remote.name) ?? (await readLive(remote, read))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** A remote schema as its server offers it now. */
export async function readLive(remote: RemoteSchema, read: ReadRemote): Promise<RemoteOrError> {
  try {
    return { sdl: await read(remote) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
