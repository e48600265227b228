/**
 * Serves metadata: a thread of its own reads it from the metadata database, changes, compiles and stores it; this one
 * evaluates the files that changed, in slices, and serves them.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../../core/errors.ts';
import { guarded } from '../../core/guarded.ts';
import { Retirement } from '../../database/retirement.ts';
import type { SourceConnection } from '../../database/source.ts';
import type { Health } from '../../http/health.ts';
import { metadataEndpoints } from '../../http/metadata.ts';
import { pgDumpEndpoints } from '../../http/pg-dump.ts';
import { createEvaluator, type TranspiledFile } from '../../program/evaluator.ts';
import type { Host, HostContext, PreparedProgram } from '../../program/host.ts';
import { openSource } from '../../program/sources.ts';
import type { ProjectReport } from './project.ts';
import type { MetadataThread } from './start-thread.ts';
import {
  createPendingCalls,
  type MessageFromThread,
  type MessageToThread,
  STARTED,
  sentError,
  sentSession,
} from './thread-messages.ts';

/** Milliseconds before a thread that has ended is started again: at first, and at most after it failed again and again. */
const RESTART = 1_000;
const LONGEST_RESTART = 30_000;

/**
 * @param start starts the thread, and again when it has ended
 * @throws EngineError when the metadata database cannot be reached
 */
export async function hostMetadata(context: HostContext, start: () => MetadataThread): Promise<Host> {
  const { observe } = context;
  const report = (error: unknown) => observe({ kind: 'unhandled-internal-error', error });
  let isStopping = false;

  /** Serves what another thread makes, once it is ready; until then what is served stays. */
  const restart = async (ended: HostedThread) => {
    for (let wait = RESTART; !isStopping; wait = Math.min(2 * wait, LONGEST_RESTART)) {
      await delay(wait, undefined, { ref: false });
      if (isStopping) return;
      const next = hostThread(context, start(), () => void restart(next));
      try {
        await next.started;
      } catch (error) {
        report(error);
        await next.end();
        continue;
      }
      current = next;
      ended.retire();
      return;
    }
  };
  let current: HostedThread = hostThread(context, start(), () => void restart(current));
  try {
    await current.started;
  } catch (error) {
    await current.end();
    throw error;
  }
  const call = (message: (number: number) => MessageToThread) => current.call(message);
  return {
    endpoints: [
      metadataEndpoints((path, body, { session, client }) =>
        call((number) => ({ kind: 'request', number, path, body, session: sentSession(session), client })),
      ),
      pgDumpEndpoints((body, session) =>
        call((number) => ({ kind: 'dump', number, body, session: sentSession(session) })),
      ),
    ],
    locate: async (reason) =>
      JSON.parse(await call((number) => ({ kind: 'locate', number, reason }))) as string[],
    takeProject: async (changed) =>
      JSON.parse(await call((number) => ({ kind: 'project', number, changed }))) as ProjectReport,
    ask: (question) => call((number) => ({ kind: 'console', number, question })),
    health: async () => (await call((number) => ({ kind: 'health', number }))) as Health,
    stop: async () => {
      isStopping = true;
      current.expectEnd();
      // One that has ended has nothing to store.
      await call((number) => ({ kind: 'stop', number })).catch(report);
      await current.end();
    },
  };
}

/** A thread, and what is served of it. */
interface HostedThread {
  /** Resolves when its first program is served. */
  readonly started: Promise<unknown>;
  /** Sends a message, and gives the answer. @throws Error also if the thread has ended */
  call(message: (number: number) => MessageToThread): Promise<string>;
  /** Nothing is started again when it ends. */
  expectEnd(): void;
  /** Closes its databases when the requests that use them are done. */
  retire(): void;
  /** Stops the thread, and closes its databases. */
  end(): Promise<void>;
}

/** @param lost called when the thread ends by itself after its first program is served */
function hostThread(
  context: HostContext,
  { send, receive, whenEnded, terminate }: MetadataThread,
  lost: () => void,
): HostedThread {
  const { observe } = context;
  const calls = createPendingCalls<string>(STARTED);
  const report = (error: unknown) => observe({ kind: 'unhandled-internal-error', error });
  const look = async (source: string) => {
    // One that has ended is reported, and the next one reads every catalog.
    if (state === 'started')
      await calls.call((number) => send({ kind: 'cluster', number, source })).catch(report);
  };
  const served = createServed({ ...context, look });
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
          (error: unknown) => send({ kind: 'answer', number: message.number, error: sentError(error) }),
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
  let state: 'starting' | 'started' | 'ended' = 'starting';
  const ended = (error: unknown) => {
    const reason = new EngineError(
      'unexpected',
      'the thread that holds the metadata has ended and is started again; try again in some seconds',
      { status: 503, cause: error },
    );
    calls.fail(reason);
    if (state !== 'started') return;
    state = 'ended';
    report(reason);
    lost();
  };
  receive(guarded(handle, report));
  whenEnded(guarded(ended, report));
  const started = calls
    .call(() => {})
    .then(() => {
      if (state === 'starting') state = 'started';
    });
  return {
    started,
    call: (message) => calls.call((number) => send(message(number))),
    expectEnd: () => {
      state = 'ended';
    },
    retire: () => served.retire(),
    end: async () => {
      state = 'ended';
      await terminate();
      await served.end();
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
  /** Closes all databases some time from now. */
  retire(): void;
  end(): Promise<void>;
}

function createServed(context: HostContext & { look(source: string): Promise<void> }): Served {
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
    retire: () => {
      for (const connection of connections.values()) retirement.retire(connection);
    },
    end: async () => {
      const open = [...connections.values()];
      for (const connection of open) retirement.keep(connection);
      await Promise.all(open.map((connection) => connection.end().catch(report)));
    },
  };
}
