/**
 * The queue of messages to one socket. A client that reads slowly must not fill the server's memory: of a live query only the newest
 * result waits for it, and a socket that takes nothing for too long, or is owed too much, is closed.
 */
import type { WebSocket } from 'ws';
import { guarded } from '../core/guarded.ts';

/** Bytes that may wait in a socket before results of live queries are held back. */
const HIGH_WATER = 1024 * 1024;
/** Bytes that may wait in a socket at all. */
const MAX_WAITING = 64 * 1024 * 1024;
/** Milliseconds that a socket may take nothing. */
const MAX_STALL = 60_000;

export interface Outbox {
  /** Sends a message; Buffers are text, too. Does nothing for undefined. */
  readonly send: (message: string | Buffer | undefined) => void;
  /**
   * Sends the newest state of something: at once, or, where the client is slow, when it has caught up, unless there is a
   * newer one by then.
   */
  readonly sendLatest: (key: string, message: () => string | Buffer | undefined) => void;
  /** Forgets a state that waits. */
  readonly drop: (key: string) => void;
  /** Whether the client is slow at the moment. */
  readonly isFull: () => boolean;
  /** Calls back once, when the client has caught up. */
  readonly whenDrained: (callback: () => void) => void;
}

/**
 * @param sent notes a message
 * @param giveUp the client takes too little
 * @param lastResort reports a defect and closes the socket
 */
export function createOutbox(
  socket: WebSocket,
  sent: (message: string | Buffer) => void,
  giveUp: () => void,
  lastResort: (error: unknown) => void,
): Outbox {
  const waiting = new Map<string, () => string | Buffer | undefined>();
  const callbacks: (() => void)[] = [];
  let stalled: NodeJS.Timeout | undefined;

  const isFull = () => socket.bufferedAmount > HIGH_WATER;
  const written = guarded(() => {
    if (stalled === undefined) return;
    clearTimeout(stalled);
    if (isFull()) {
      stalled = setTimeout(giveUp, MAX_STALL).unref();
      return;
    }
    stalled = undefined;
    const messages = [...waiting];
    waiting.clear();
    for (const [key, message] of messages) sendLatest(key, message);
    for (const callback of callbacks.splice(0)) callback();
  }, lastResort);
  const send: Outbox['send'] = (message) => {
    if (message === undefined || socket.readyState !== socket.OPEN) return;
    sent(message);
    // Without a callback for each message, which costs memory: one is enough to notice that the socket takes messages again.
    if (stalled === undefined && !isFull()) {
      socket.send(message, TEXT);
      if (!isFull()) return;
      stalled = setTimeout(giveUp, MAX_STALL).unref();
      socket.ping('', false, written);
      return;
    }
    socket.send(message, TEXT, written);
    if (socket.bufferedAmount > MAX_WAITING) giveUp();
  };
  const sendLatest: Outbox['sendLatest'] = (key, message) => {
    // Never before an older one that still waits.
    if (isFull() || waiting.has(key)) waiting.set(key, message);
    else send(message());
  };
  const closed = () => {
    clearTimeout(stalled);
    waiting.clear();
    callbacks.length = 0;
  };
  socket.once('close', guarded(closed, lastResort));
  return {
    send,
    sendLatest,
    drop: (key) => waiting.delete(key),
    isFull,
    whenDrained: (callback) => {
      if (isFull()) callbacks.push(callback);
      else callback();
    },
  };
}

const TEXT = { binary: false } as const;
