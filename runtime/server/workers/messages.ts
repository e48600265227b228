/**
 * Messages between the primary process, which starts the workers and has the metadata thread, and each worker, which answers
 * requests. A channel is one use of the metadata thread: another one is opened when the thread has ended.
 */
import type { MessageFromThread, MessageToThread } from '../../metadata-api/thread/thread-messages.ts';
import type { Figures } from '../../observe/metrics/sum.ts';

/** Something that is counted over all workers while it lasts: a name, and how many there may be at once. */
export type Held = readonly [key: string, maximum: number];

export type MessageToPrimary =
  | { readonly kind: 'open' | 'close'; readonly channel: number }
  | { readonly kind: 'thread'; readonly channel: number; readonly message: MessageToThread }
  /** The last message of the thread was handled; programs and files are answered separately. */
  | { readonly kind: 'handled'; readonly channel: number }
  /** Answered with the requests of this key in the running minute. */
  | { readonly kind: 'rate'; readonly number: number; readonly key: string }
  /** Counts what begins, unless a maximum is reached. Answered with the index of that maximum, or -1. */
  | { readonly kind: 'hold'; readonly number: number; readonly held: readonly Held[] }
  /** What was held has ended. */
  | { readonly kind: 'release'; readonly held: readonly Held[] }
  /** Answered with the figures of every process. */
  | { readonly kind: 'gather'; readonly number: number }
  | { readonly kind: 'figures'; readonly figures: Figures }
  /** The event loop turns. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'serving'; readonly port: number }
  /** The worker cannot start. */
  | { readonly kind: 'failed'; readonly text: string };

export type MessageToWorker =
  | { readonly kind: 'thread'; readonly channel: number; readonly message: MessageFromThread }
  | { readonly kind: 'ended'; readonly channel: number }
  | { readonly kind: 'answer'; readonly number: number; readonly value: unknown }
  /** Deliver events and schedules from now on. */
  | { readonly kind: 'lead' }
  /** Asks for `figures`. */
  | { readonly kind: 'figures' }
  /** Finish what runs, and end. */
  | { readonly kind: 'stop' };

/** Sends what is posted during one turn of the event loop together: each sending costs several times as much as its content. */
export function inBatches<Message>(send: (messages: readonly Message[]) => void): (message: Message) => void {
  let batch: Message[] = [];
  const flush = () => {
    const messages = batch;
    batch = [];
    send(messages);
  };
  return (message) => {
    if (batch.push(message) === 1) setImmediate(flush);
  };
}
