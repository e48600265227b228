/** Keep-alive messages of all sockets, by one timer: a part of the sockets at each tick. */

export interface KeepAlive<Socket> {
  readonly add: (socket: Socket) => void;
  readonly remove: (socket: Socket) => void;
  readonly stop: () => void;
}

/** Ticks of a round. */
const PARTS = 20;

/** @param seconds between two messages to one socket */
export function createKeepAlive<Socket>(seconds: number, send: (socket: Socket) => void): KeepAlive<Socket> {
  const parts = Array.from({ length: PARTS }, () => new Set<Socket>());
  let position = 0;
  const timer = setInterval(
    () => {
      position = (position + 1) % PARTS;
      for (const socket of parts[position]!) send(socket);
    },
    (seconds * 1000) / PARTS,
  );
  timer.unref();
  return {
    // Its turn comes when the round has come back here.
    add: (socket) => parts[position]!.add(socket),
    remove: (socket) => {
      for (const part of parts) part.delete(socket);
    },
    stop: () => clearInterval(timer),
  };
}
