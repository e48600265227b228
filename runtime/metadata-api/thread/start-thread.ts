/** Starts the metadata thread. Imports next to nothing, so that the thread loads beside the rest of the server. */
import { Worker } from 'node:worker_threads';
import type { MessageFromThread, MessageToThread, ThreadData } from './thread-messages.ts';

/** Runs the thread; in a checkout a file that first makes TypeScript loadable. */
const THREAD = import.meta.url.endsWith('.ts') ? './metadata-thread.mjs' : './metadata-thread.js';

/**
 * Megabytes for young objects in the thread, a quarter of the default. It works in bursts, and would keep what the last burst took.
 */
const YOUNG_GENERATION = 12;

/** The metadata thread, of this process or of the one that started this one. */
export interface MetadataThread {
  readonly send: (message: MessageToThread) => void;
  /** Receives all messages, those that came before the call first. */
  readonly receive: (listener: (message: MessageFromThread) => void) => void;
  /** Calls back when the thread ends, with the reason if there is one. */
  readonly whenEnded: (listener: (error?: unknown) => void) => void;
  /** Ends the thread at once; here only its use, where another process has it. */
  readonly terminate: () => Promise<unknown>;
}

export function startMetadataThread(data: ThreadData): MetadataThread {
  const worker = new Worker(new URL(THREAD, import.meta.url), {
    workerData: structuredClone(data),
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
  });
  const early: MessageFromThread[] = [];
  const keep = (message: MessageFromThread) => early.push(message);
  worker.on('message', keep);
  return {
    send: (message) => worker.postMessage(message),
    receive: (listener) => {
      worker.off('message', keep);
      worker.on('message', listener);
      for (const message of early) listener(message);
    },
    whenEnded: (listener) => {
      worker.on('error', listener);
      worker.on('exit', () => listener());
    },
    terminate: () => worker.terminate(),
  };
}

/** Starts the thread now, for the first call; later calls start another one. */
export function startThreadEarly(data: ThreadData): () => MetadataThread {
  let first: MetadataThread | undefined = startMetadataThread(data);
  return () => {
    const thread = first ?? startMetadataThread(data);
    first = undefined;
    return thread;
  };
}
