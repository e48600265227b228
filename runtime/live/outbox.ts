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

/** The socket that an outbox belongs to, as far as it concerns the outbox. */
export interface OutboxOwner {
  /** A message was sent. */
  readonly sent: (message: string | Buffer) => void;
  /** The client takes too little. */
  readonly disconnect: () => void;
  /** Reports a defect and closes the socket. */
  readonly lastResort: (error: unknown) => void;
}

const TEXT = { binary: false } as const;

export class Outbox {
  readonly #socket: WebSocket;
  readonly #owner: OutboxOwner;
  /** States that wait; undefined, as for most sockets: none ever did. */
  #waiting: Map<string, () => string | Buffer | undefined> | undefined;
  #callbacks: (() => void)[] | undefined;
  #stalled: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, owner: OutboxOwner) {
    this.#socket = socket;
    this.#owner = owner;
  }

  /** Whether the client is slow at the moment. */
  get isFull(): boolean {
    return this.#socket.bufferedAmount > HIGH_WATER;
  }

  /** Sends a message; Buffers are text, too. Does nothing for undefined. */
  send(message: string | Buffer | undefined): void {
    const socket = this.#socket;
    if (message === undefined || socket.readyState !== socket.OPEN) return;
    this.#owner.sent(message);
    // Without a callback for each message, which costs memory: one is enough to notice that the socket takes messages again.
    if (this.#stalled === undefined && !this.isFull) {
      socket.send(message, TEXT);
      if (!this.isFull) return;
      this.#expectProgress();
      socket.ping('', false, this.#written());
      return;
    }
    socket.send(message, TEXT, this.#written());
    if (socket.bufferedAmount > MAX_WAITING) this.#owner.disconnect();
  }

  /**
   * Sends the newest state of something: at once, or, where the client is slow, when it has caught up, unless there is a
   * newer one by then.
   */
  sendLatest(key: string, message: () => string | Buffer | undefined): void {
    // Never before an older one that still waits.
    if (!this.isFull && !this.#waiting?.has(key)) this.send(message());
    else {
      this.#waiting ??= new Map();
      this.#waiting.set(key, message);
    }
  }

  /** Forgets a state that waits. */
  drop(key: string): void {
    this.#waiting?.delete(key);
  }

  /** Calls back once, when the client has caught up. */
  whenDrained(callback: () => void): void {
    if (!this.isFull) callback();
    else {
      this.#callbacks ??= [];
      this.#callbacks.push(callback);
    }
  }

  /** The socket is closed. */
  close(): void {
    clearTimeout(this.#stalled);
    this.#waiting = undefined;
    this.#callbacks = undefined;
  }

  #expectProgress(): void {
    this.#stalled = setTimeout(() => this.#owner.disconnect(), MAX_STALL).unref();
  }

  /** To be called when the socket has taken a message. */
  #written(): () => void {
    const goOn = () => {
      if (this.#stalled === undefined) return;
      clearTimeout(this.#stalled);
      if (this.isFull) {
        this.#expectProgress();
        return;
      }
      this.#stalled = undefined;
      const messages = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const [key, message] of messages) this.sendLatest(key, message);
      const callbacks = this.#callbacks ?? [];
      this.#callbacks = undefined;
      for (const callback of callbacks) callback();
    };
    return guarded(goOn, (error) => this.#owner.lastResort(error));
  }
}
