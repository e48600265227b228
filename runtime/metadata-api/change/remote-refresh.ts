/** Remote schemas that are read again while they are served: what changed, and what the change breaks. */

import { diagnosticKey } from '../../core/diagnostics/diagnostic.ts';
import type { RemoteOrError } from '../../core/remotes/shapes.ts';
import type { RemoteSchema } from '../../metadata/metadata.ts';
import { readRemote } from './read-sources.ts';
import type { CopyServices } from './state.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Result of reading a remote schema again, beside the served one. */
export interface RemoteRefresh {
  readonly remoteSchema: string;
  /** `breaking`: permissions, relationships or saved operations no longer work. */
  readonly verdict: 'same' | 'compatible' | 'breaking';
  /** The lock is served, not what was read. */
  readonly isLocked: boolean;
  readonly broken: readonly { readonly name?: string | undefined; readonly reason: string }[];
}

/** A remote schema as its server has it now, beside the served one. */
export interface RemoteComparison {
  readonly isLocked: boolean;
  readonly served: RemoteOrError | undefined;
  /** With the reason where its server could not be asked. */
  readonly found: RemoteOrError;
  /** Absent where there is nothing to compare. */
  readonly refresh?: RemoteRefresh;
}

interface ReadAgain {
  readonly remote: RemoteSchema;
  readonly before: RemoteOrError | undefined;
  readonly found: RemoteOrError;
  readonly isLocked: boolean;
}

/** Introspects a remote schema, a locked one too. */
export async function readAgain(
  remote: RemoteSchema,
  before: RemoteOrError | undefined,
  services: Pick<CopyServices, 'readRemote' | 'lockedRemote'>,
): Promise<ReadAgain> {
  const isLocked = services.lockedRemote(remote.name) !== undefined;
  const found = await readRemote(remote, before, { ...services, lockedRemote: () => undefined });
  return { remote, before, isLocked, found };
}

/**
 * Takes what was read into a copy and compares what is inconsistent with before; undefined where there is nothing to compare.
 */
export async function takeRefreshed(
  { remote: { name }, before, found, isLocked }: ReadAgain,
  copy: WorkingCopy,
): Promise<RemoteRefresh | undefined> {
  copy.takeRemotes({ [name]: found });
  if ('error' in found || found.stale !== undefined || before === undefined || 'error' in before)
    return undefined;
  const head = { remoteSchema: name, isLocked };
  if (found.sdl === before.sdl) return { ...head, verdict: 'same', broken: [] };
  const known = new Set(copy.compilation.diagnostics.map(diagnosticKey));
  await copy.check();
  const broken = copy.compilation.diagnostics
    .filter((diagnostic) => !known.has(diagnosticKey(diagnostic)))
    .map(({ message, inconsistency }) => ({
      ...(inconsistency && { name: inconsistency.name }),
      reason: inconsistency?.reason ?? message,
    }));
  return { ...head, verdict: broken.length > 0 ? 'breaking' : 'compatible', broken };
}
