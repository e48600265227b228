/**
 * Serves metadata: a thread of its own reads it from the metadata database, changes, compiles and stores it; this one
 * evaluates the files that changed, in slices, and serves them.
 */
import { guarded } from '../core/guarded.ts';
import { Retirement } from '../database/retirement.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Health } from '../http/health.ts';
import { metadataEndpoints } from '../http/metadata.ts';
import { pgDumpEndpoints } from '../http/pg-dump.ts';
import type { Host, HostContext, PreparedProgram } from './host.ts';
import { createEvaluator, type TranspiledFile } from './loader.ts';
import { openSource } from './sources.ts';
import { type MetadataThread, startMetadataThread } from './start-thread.ts';
import {
  createCalls,
  type MessageFromThread,
  type MessageToThread,
  STARTED,
  sendableError,
} from './thread-messages.ts';

/**
 * @param compiler address of the compiler's module, loaded in the thread
 * @param review address of the module that answers the console
 * @param thread started with them earlier
 * @throws EngineError when the metadata database cannot be reached
 */
export async function hostMetadata(
  context: HostContext,
  compiler: string,
  review?: string,
  thread?: MetadataThread,
): Promise<Host> {
  const { configuration, environment, observe } = context;
  const { worker, receive } = thread ?? startMetadataThread({ configuration, environment, compiler, review });
  const calls = createCalls<string>(STARTED);
  const send = (message: MessageToThread) => worker.postMessage(message);
  const served = createServed(context);

  const handle = (message: MessageFromThread) => {
    switch (message.kind) {
      case 'answer':
        calls.answer(message.number, message.value ?? '', message.error);
        return;
      case 'files':
        served.receive(message.changed);
        send({ kind: 'answer', number: message.number });
        return;
      case 'load':
        served.load(message).then(
          () => send({ kind: 'answer', number: message.number }),
          (error: unknown) => send({ kind: 'answer', number: message.number, error: sendableError(error) }),
        );
        return;
      case 'activate':
        served.activate(message.number);
        return;
      case 'observe':
        observe(message.observation);
        return;
      case 'health-checks':
        context.healthChecks(message.checks);
        return;
      case 'telemetry':
        context.telemetry(message.settings);
        return;
      case 'waiting':
        context.waiting(message.reason);
    }
  };
  const report = (error: unknown) => observe({ kind: 'unhandled-internal-error', error });
  receive(guarded(handle, report));
  let stopping = false;
  const ended = (error: unknown) => {
    if (stopping) return;
    const reason = new Error('the thread that holds the metadata has ended; restart the server', {
      cause: error,
    });
    calls.fail(reason);
    observe({ kind: 'unhandled-internal-error', error: reason });
  };
  worker.on('error', guarded(ended, report));
  worker.on('exit', guarded(ended, report));

  const end = async () => {
    stopping = true;
    await worker.terminate();
    await served.end();
  };
  try {
    await calls.call(() => {});
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoints: [
      metadataEndpoints((path, body, requester) =>
        calls.call((number) => send({ kind: 'request', number, path, body, ...requester })),
      ),
      pgDumpEndpoints((body, session) =>
        calls.call((number) => send({ kind: 'dump', number, body, session })),
      ),
    ],
    locate: async (reason) =>
      JSON.parse(await calls.call((number) => send({ kind: 'locate', number, reason }))) as string[],
    ask: (question) => calls.call((number) => send({ kind: 'console', number, question })),
    health: async () => (await calls.call((number) => send({ kind: 'health', number }))) as Health,
    stop: async () => {
      stopping = true;
      await calls.call((number) => send({ kind: 'stop', number }));
      await end();
    },
  };
}

type Load = Extract<MessageFromThread, { kind: 'load' }>;

interface Served {
  /** Takes files over that a later message makes a program of. */
  receive(changed: ReadonlyMap<string, TranspiledFile>): void;
  /** Makes the program of a message ready. Messages build on each other, so every one must come here, in order. */
  load(message: Load): Promise<void>;
  /** Serves what was loaded under the number. */
  activate(number: number): void;
  end(): Promise<void>;
}

function createServed(context: HostContext): Served {
  const evaluator = createEvaluator();
  const files = new Map<string, TranspiledFile>();
  const loaded = new Map<number, { program: PreparedProgram; sources: ReadonlySet<number> }>();
  /** By the number that the thread gave them. */
  const connections = new Map<number, SourceConnection>();
  const report = (error: unknown) => context.observe({ kind: 'unhandled-internal-error', error });
  const retirement = new Retirement<SourceConnection>(report);

  const receive = (changed: ReadonlyMap<string, TranspiledFile>) => {
    for (const [path, file] of changed) files.set(path, file);
  };
  return {
    receive,
    load: async ({ number, changed, removed, sources }) => {
      receive(changed);
      for (const path of removed) files.delete(path);
      for (const source of sources) {
        const open = connections.get(source.number);
        if (open) retirement.keep(open);
        else connections.set(source.number, openSource(source.name, source.info, context, source.replicas));
      }
      const byName = new Map(sources.map((source) => [source.name, connections.get(source.number)!]));
      const program = context.prepare(await evaluator.evaluate(new Map(files)), byName);
      loaded.set(number, { program, sources: new Set(sources.map((source) => source.number)) });
    },
    activate: (number) => {
      const { program, sources } = loaded.get(number)!;
      program.activate();
      for (const earlier of [...loaded.keys()]) if (earlier <= number) loaded.delete(earlier);
      for (const [each, connection] of connections)
        if (!sources.has(each)) retirement.retire(connection, () => connections.delete(each));
    },
    end: async () => {
      const open = [...connections.values()];
      for (const connection of open) retirement.keep(connection);
      await Promise.all(open.map((connection) => connection.end().catch(report)));
    },
  };
}
