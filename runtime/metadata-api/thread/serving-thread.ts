/** What this thread was started with, and how it speaks to the thread that serves. */
import { parentPort, workerData } from 'node:worker_threads';
import { Vocabulary } from '../../core/vocabulary.ts';
import type { Observation } from '../../observe/logs/observe.ts';
import { createPendingCalls, type MessageFromThread, STARTED, type ThreadData } from './thread-messages.ts';

/** Data that the thread was started with. The vocabulary has crossed as plain data. */
export const data = ((given: ThreadData): ThreadData => {
  const { configuration } = given;
  const vocabulary = new Vocabulary(configuration.vocabulary.word);
  return { ...given, configuration: { ...configuration, vocabulary } };
})(workerData as ThreadData);
export const { vocabulary } = data.configuration;

/** Loads that the serving thread has not finished. */
export const loads = createPendingCalls<void>(STARTED + 1);

export function post(message: MessageFromThread): void {
  parentPort!.postMessage(message);
}

export function observe(observation: Observation): void {
  post({ kind: 'observe', observation });
}

export function report(message: string, error: unknown): void {
  observe({ kind: 'unhandled-internal-error', error: new Error(message, { cause: error }) });
}
