/** The waiting room of a server whose metadata database cannot be used yet; opened when it first has a reason to wait. */
import type { Configuration } from '../configuration/configuration.ts';
import { openWaitingRoom, type WaitingRoom } from '../http/waiting-room.ts';
import { hostsOf, listening } from './listen.ts';

export interface Waiting {
  /** Tells clients this reason from now on. */
  readonly because: (reason: string) => void;
  /** @returns the port that the room listened on; undefined if it was never open */
  readonly end: () => Promise<number | undefined>;
}

export function createWaiting(configuration: Configuration): Waiting {
  let room: Promise<WaitingRoom | undefined> | undefined;
  return {
    because: (reason) => {
      // An address that cannot be used now is reported when the server listens.
      room ??= openWaitingRoom(reason, (on) =>
        listening(hostsOf(configuration), configuration.serverPort, on),
      ).catch(() => undefined);
      void room.then((open) => {
        if (open) open.reason = reason;
      });
    },
    end: async () => {
      const open = await room;
      await open?.close();
      return open?.port;
    },
  };
}
