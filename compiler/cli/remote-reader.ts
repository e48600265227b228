/** Introspects remote schemas for commands: with the environment's variables, and nothing kept open. */
import { unverifiedHosts } from '../../runtime/metadata/kinds/settings.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { remoteTarget } from '../../runtime/metadata/remote-target.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { createSchemaReader } from '../../runtime/outgoing/remote/introspect.ts';
import type { ReadRemote } from '../phases/2-introspect/remote-schemas.ts';
import type { CommandContext } from './command.ts';

/** Runs `use` with a reader. */
export async function withRemoteReader<Result>(
  { environment, vocabulary }: CommandContext,
  { network }: Pick<Metadata, 'network'>,
  use: (read: ReadRemote) => Promise<Result>,
): Promise<Result> {
  const outgoing = createOutgoing({ unverified: () => unverifiedHosts(network) });
  try {
    const read = createSchemaReader({ vocabulary, outgoing, environment });
    return await use(({ name, definition }) => read(name, remoteTarget(definition)));
  } finally {
    await outgoing.close();
  }
}
