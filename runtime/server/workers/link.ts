/** What a worker has of the primary process: the metadata thread, counts over all workers, and the figures of all. */
import cluster from 'node:cluster';
import { guarded } from '../../core/guarded.ts';
import type { RateCounter } from '../../graphql/limits.ts';
import type { MetadataThread } from '../../metadata-api/thread/start-thread.ts';
import { createPendingCalls, type MessageFromThread } from '../../metadata-api/thread/thread-messages.ts';
import type { Figures } from '../../observe/metrics/sum.ts';
import { type Held, inBatches, type MessageToPrimary, type MessageToWorker } from './messages.ts';

/** Milliseconds between two signs of life. */
const BEAT = 1000;

export interface WorkerLink {
  /** Number of this worker, which no other one gets while the primary process lives. */
  readonly id: number;
  readonly openThread: () => MetadataThread;
  readonly rates: RateCounter;
  /**
   * Counts over all workers what begins here.
   * @param refused called when that reaches a maximum, with its index in `held`; then nothing was counted
   * @returns call it at the end
   */
  readonly hold: (held: readonly Held[], refused: (index: number) => void) => () => void;
  /** Calls back when this worker has to deliver events and schedules. */
  readonly whenLeading: (listener: () => void) => void;
  /** The figures of all processes. */
  readonly gather: () => Promise<readonly Figures[]>;
  /** How the figures of this worker are read. */
  readonly provide: (figures: () => Promise<Figures>) => void;
  readonly serving: (port: number) => void;
  /** Resolves when the primary process knows why this worker cannot start. */
  readonly failed: (text: string) => Promise<void>;
  /** Calls back when this worker has to stop: on request, or because the primary process has ended. */
  readonly whenStopped: (listener: () => void) => void;
  /** Leaves the last figures. */
  readonly leave: () => Promise<void>;
}

/** @param report logs a defect */
export function openLink(report: (error: unknown) => void): WorkerLink {
  // Messages that cannot be sent are those to a process that has ended.
  const send = (messages: readonly MessageToPrimary[], sent: () => void = () => {}) => {
    if (process.connected) process.send!(messages, undefined, undefined, sent);
    else sent();
  };
  const post = inBatches(send);
  const calls = createPendingCalls<unknown>(1);
  const threads = new Map<
    number,
    { readonly receive: (message: MessageFromThread) => void; readonly ended: () => void }
  >();
  let channels = 0;
  let lead = () => {};
  let isLeading = false;
  let stop = () => {};
  let isStopped = false;
  let figures: (() => Promise<Figures>) | undefined;
  const sendFigures = async () => post({ kind: 'figures', figures: (await figures?.()) ?? [] });

  const receive = async (message: MessageToWorker) => {
    switch (message.kind) {
      case 'thread':
        return threads.get(message.channel)?.receive(message.message);
      case 'ended':
        threads.get(message.channel)?.ended();
        threads.delete(message.channel);
        return;
      case 'answer':
        return calls.answer(message.number, message.value, undefined);
      case 'figures':
        return sendFigures();
      case 'lead':
        isLeading = true;
        return lead();
      case 'stop':
        isStopped = true;
        return stop();
    }
  };
  const receiveOne = guarded(receive, report);
  const receiveAll = (messages: readonly MessageToWorker[]) => {
    for (const message of messages) receiveOne(message);
  };
  process.on('message', guarded(receiveAll, report));
  const disconnected = () => {
    // Without this the platform would end the process, with the requests that run.
    cluster.worker!.exitedAfterDisconnect = true;
    calls.fail(new Error('the primary process has ended'));
    for (const { ended } of threads.values()) ended();
    isStopped = true;
    stop();
  };
  cluster.worker!.on('disconnect', guarded(disconnected, report));
  setInterval(() => post({ kind: 'beat' }), BEAT).unref();

  return {
    id: cluster.worker!.id,
    openThread: () => {
      const channel = channels++;
      let receive = (_: MessageFromThread) => {};
      let ended = () => {};
      const handle = (message: MessageFromThread) => {
        receive(message);
        // Messages of these kinds are answered, or are answers.
        if (!['files', 'load', 'answer'].includes(message.kind)) post({ kind: 'handled', channel });
      };
      threads.set(channel, { receive: handle, ended: () => ended() });
      post({ kind: 'open', channel });
      return {
        send: (message) => post({ kind: 'thread', channel, message }),
        receive: (listener) => {
          receive = listener;
        },
        whenEnded: (listener) => {
          ended = listener;
        },
        terminate: async () => {
          threads.delete(channel);
          post({ kind: 'close', channel });
        },
      };
    },
    rates: {
      count: (key) => calls.call((number) => post({ kind: 'rate', number, key })) as Promise<number>,
    },
    hold: (held, refused) => {
      const isHeld = (calls.call((number) => post({ kind: 'hold', number, held })) as Promise<number>).then(
        (index) => {
          if (index >= 0) refused(index);
          return index < 0;
        },
      );
      isHeld.catch(() => {});
      return () => void isHeld.then((is) => is && post({ kind: 'release', held })).catch(() => {});
    },
    whenLeading: (listener) => {
      lead = listener;
      if (isLeading) listener();
    },
    gather: () => calls.call((number) => post({ kind: 'gather', number })) as Promise<readonly Figures[]>,
    provide: (read) => {
      figures = read;
    },
    serving: (port) => post({ kind: 'serving', port }),
    failed: (text) => new Promise((sent) => send([{ kind: 'failed', text }], sent)),
    whenStopped: (listener) => {
      stop = listener;
      if (isStopped) listener();
    },
    leave: async () => {
      const last = (await figures?.()) ?? [];
      await new Promise<void>((sent) => send([{ kind: 'figures', figures: last }], sent));
    },
  };
}
