/** Starts the metadata thread. Imports next to nothing, so that the thread loads beside the rest of the server. */
import { Worker } from 'node:worker_threads';
import type { MessageFromThread, ThreadData } from './thread-messages.ts';

/** Runs the thread; in a checkout a file that first makes TypeScript loadable. */
const THREAD = import.meta.url.endsWith('.ts') ? './metadata-thread.mjs' : './metadata-thread.js';

/**
 * Megabytes for young objects in the thread, a quarter of the default. It works in bursts, and would keep what the last burst took.
 */
const YOUNG_GENERATION = 12;

export interface MetadataThread {
  readonly worker: Worker;
  /** Receives all messages, those that came before the call first. */
  readonly receive: (listener: (message: MessageFromThread) => void) => void;
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
    worker,
    receive: (listener) => {
      worker.off('message', keep);
      worker.on('message', listener);
      for (const message of early) listener(message);
    },
  };
}
