/**
 * The thread that holds the metadata: reads requests of the metadata API, runs them, compiles and stores, while another
 * thread serves. What is to be served is sent there as the files that changed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { EngineError } from '../../core/errors.ts';
import { guarded } from '../../core/guarded.ts';
import { describeConnectionError } from '../../database/connection-error.ts';
import { type MetadataStore, openMetadataStore } from '../store/store.ts';
import { data, loads, observe, post, report, vocabulary } from './serving-thread.ts';
import { type MessageToThread, STARTED, sentError } from './thread-messages.ts';

/** Milliseconds between attempts to reach the metadata database: doubled up to the last. */
const FIRST_RETRY = 250;
const LAST_RETRY = 2000;

/** Runs until it receives `stop`. A failed start is answered under the number `STARTED`. */
async function run(): Promise<void> {
  let handle: Awaited<ReturnType<typeof import('./running.ts').start>>;
  try {
    const take = async (message: MessageToThread) => {
      if (message.kind === 'answer') loads.answer(message.number, undefined, message.error);
      else await answer(message.number, async () => handle(message));
    };
    const failed = (error: unknown, { kind }: MessageToThread) =>
      report(`a message of the serving thread was not handled: ${kind}`, error);
    parentPort!.on('message', guarded(take, failed));
    // The connection is opened while the rest of this thread loads. `start` awaits the store and reports a failure.
    const store = openStore();
    store.catch(() => {});
    const { start } = await import('./running.ts');
    handle = await start(store);
    post({ kind: 'answer', number: STARTED });
  } catch (error) {
    post({ kind: 'answer', number: STARTED, error: sentError(error) });
  }
}

async function answer(number: number, run: () => Promise<string>): Promise<void> {
  try {
    post({ kind: 'answer', number, value: await run() });
  } catch (error) {
    post({ kind: 'answer', number, error: sentError(error) });
  }
}

async function openStore(): Promise<MetadataStore> {
  const { metadataDatabaseUrl, databaseUrl, retries } = data.configuration;
  const url = metadataDatabaseUrl ?? databaseUrl;
  if (url === undefined) {
    throw new EngineError(
      'invalid-configuration',
      `no database: give --metadata-database-url (${vocabulary.environment('METADATA_DATABASE_URL')}) or --database-url (${vocabulary.environment('DATABASE_URL')})`,
    );
  }
  let last: string | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await openMetadataStore(url, vocabulary);
    } catch (error) {
      const reason = describeConnectionError(error);
      const isWrong = error instanceof EngineError;
      if (isWrong || attempt >= (retries ?? (mayPass(error) ? Number.POSITIVE_INFINITY : 1))) {
        throw new EngineError('postgres-error', `the metadata database cannot be used: ${reason}`, {
          cause: error,
        });
      }
      post({ kind: 'waiting', reason: describeConnectionError(error, true) });
      const message = `the metadata database does not answer, trying again: ${reason}`;
      if (reason !== last) observe({ kind: 'unstructured', level: 'warn', message });
      last = reason;
      await delay(Math.min(FIRST_RETRY * 2 ** attempt, LAST_RETRY));
    }
  }
}

/** It cannot be reached, or is starting or full. Everything else is an answer: a wrong password, say. */
function mayPass(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    !(error instanceof EngineError) &&
    (!/^[0-9A-Z]{5}$/.test(code) || /^(08|57P0|53)/.test(code) || /^E[A-Z]{4}$/.test(code))
  );
}

await run();
