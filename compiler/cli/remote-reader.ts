/** Introspects remote schemas for commands: with the environment's variables, and nothing kept open. */
import { remoteTarget } from '../../runtime/metadata/remote-target.ts';
import { createOutgoing } from '../../runtime/outgoing/outgoing.ts';
import { introspectRemote } from '../../runtime/remote/introspect.ts';
import type { ReadRemote } from '../phases/2-introspect/remote-schemas.ts';
import type { CommandContext } from './command.ts';

/** Runs `use` with a reader. */
export async function withRemoteReader<Result>(
  { environment }: CommandContext,
  use: (read: ReadRemote) => Promise<Result>,
): Promise<Result> {
  const outgoing = createOutgoing();
  try {
    return await use(async ({ definition }) => {
      const { sdl } = await introspectRemote(remoteTarget(definition), { outgoing, environment });
      return sdl;
    });
  } finally {
    await outgoing.close();
  }
}
