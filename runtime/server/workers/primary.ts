/**
 * The primary process of `--workers`: starts the workers, which answer requests, and replaces workers that end. It has the
 * metadata thread and what is counted over all workers, and chooses the worker that delivers events. It answers no request.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { guarded } from '../../core/guarded.ts';
import { createRateCounter } from '../../graphql/limits.ts';
import type { MetadataThread } from '../../metadata-api/thread/start-thread.ts';
import { createLogger, standardOutput } from '../../observe/logs/logger.ts';
import type { Figures } from '../../observe/metrics/sum.ts';
import type { ServerOptions } from '../main.ts';
import { openObserving } from '../observing.ts';
import { StartError } from '../start-error.ts';
import { within } from '../within.ts';
import { inBatches, type MessageToPrimary, type MessageToWorker } from './messages.ts';
import { createSharedCounts } from './shared-counts.ts';
import { type RelayChannel, relayThread, type ThreadRelay } from './thread-relay.ts';

/** Milliseconds before a worker that did not get to serve is started again: at first, and at most. */
const RESTART = 1_000;
const LONGEST_RESTART = 30_000;
/** Seconds without a sign of life after which a worker is stuck. */
const STUCK = 10;
/** Maximum wait for the figures of a worker (ms); then its last figures count. */
const FIGURES = 2_000;

interface Member {
  readonly id: number;
  readonly worker: Worker;
  readonly post: (message: MessageToWorker) => void;
  readonly channels: Map<number, RelayChannel>;
  state: 'starting' | 'serving' | 'stopping' | 'ended';
  hasServed: boolean;
  /** Seconds since its last message; it has as long as it needs for the first. */
  silent: number;
  figures: Figures;
  figuresCame: () => void;
  readonly ended: Promise<void>;
}

/**
 * Returns when all workers serve; signals end the process.
 * @param startThread starts the metadata thread; undefined: workers serve a program that does not change
 * @throws StartError when a worker cannot start
 */
export async function runPrimary(
  { configuration, environment }: ServerOptions,
  startThread: (() => MetadataThread) | undefined,
): Promise<void> {
  const { workers: number } = configuration;
  const output = standardOutput();
  const logger = createLogger(configuration, undefined, { output });
  const { observe, metrics, tracing, report } = await openObserving(
    configuration,
    environment,
    logger,
    'primary',
  );
  const log = (level: 'warn' | 'error', message: string) => observe({ kind: 'unstructured', level, message });
  const inform = (message: string, more: object = {}) =>
    observe({ kind: 'startup', step: 'workers', info: { message, ...more } });
  const members = new Set<Member>();
  const counts = createSharedCounts();
  const rates = createRateCounter();
  /** What workers counted that have ended: a sum of counters never falls. */
  let past: Figures = [];
  let relay: ThreadRelay | undefined;
  let leader: Member | undefined;
  let isStarting = true;
  let isStopping = false;
  let failure = (_: Error) => {};
  let served = (_port: number) => {};

  const elect = () => {
    if (leader?.state === 'serving') return;
    leader = [...members].find(({ state }) => state === 'serving');
    if (!leader) return;
    leader.post({ kind: 'lead' });
    inform('a worker delivers events', { worker: leader.id });
  };
  const openThread = (): ThreadRelay => {
    const opened = relayThread(
      startThread!(),
      (message) => {
        if (message.kind === 'observe') observe(message.observation);
        else if (message.kind === 'telemetry') tracing.configure(message.settings);
      },
      () => {
        if (relay === opened) relay = undefined;
      },
      report,
    );
    return opened;
  };
  const figuresOf = async (member: Member): Promise<Figures> => {
    const came = new Promise<void>((resolve) => {
      const before = member.figuresCame;
      member.figuresCame = () => {
        before();
        resolve();
      };
    });
    member.post({ kind: 'figures' });
    await Promise.race([came, member.ended, delay(FIGURES, undefined, { ref: false })]);
    return member.figures;
  };
  const gather = async (): Promise<readonly Figures[]> => {
    const own = (await metrics?.figures()) ?? [];
    const ofMembers = await Promise.all([...members].map(figuresOf));
    return [own, past, ...ofMembers];
  };
  const answer = (member: Member, number: number, value: unknown) =>
    member.post({ kind: 'answer', number, value });

  const receive = async (member: Member, message: MessageToPrimary) => {
    switch (message.kind) {
      case 'open': {
        const { channel } = message;
        relay ??= openThread();
        const joined = relay.join({
          send: (each) => member.post({ kind: 'thread', channel, message: each }),
          ended: () => member.post({ kind: 'ended', channel }),
        });
        member.channels.set(channel, joined);
        return;
      }
      case 'close':
        member.channels.get(message.channel)?.close();
        member.channels.delete(message.channel);
        return;
      case 'thread':
        return member.channels.get(message.channel)?.receive(message.message);
      case 'handled':
        return member.channels.get(message.channel)?.handled();
      case 'rate':
        return answer(member, message.number, rates.count(message.key));
      case 'hold':
        return answer(member, message.number, counts.hold(member.id, message.held));
      case 'release':
        return counts.release(member.id, message.held);
      case 'gather':
        return answer(member, message.number, await gather());
      case 'figures':
        member.figures = message.figures;
        member.figuresCame();
        member.figuresCame = () => {};
        return;
      case 'beat':
        return;
      case 'serving':
        if (member.state === 'starting') member.state = 'serving';
        member.hasServed = true;
        elect();
        if ([...members].filter(({ state }) => state === 'serving').length === number) served(message.port);
        return;
      case 'failed':
        if (isStarting) failure(new StartError(message.text));
        else log('error', `worker ${member.id} cannot start: ${message.text}`);
    }
  };
  const begin = (): Member => {
    const worker = cluster.fork();
    const { id, process: child } = worker;
    writeWholeLines(child.stdout!, output.write, report);
    const post = inBatches((messages: readonly MessageToWorker[]) => {
      if (worker.isConnected()) worker.send(messages, undefined, () => {});
    });
    const member: Member = {
      id,
      worker,
      post,
      channels: new Map(),
      state: 'starting',
      hasServed: false,
      silent: Number.NEGATIVE_INFINITY,
      figures: [],
      figuresCame: () => {},
      ended: once(child, 'close').then(() => gone(member)),
    };
    const receiveOne = guarded((message: MessageToPrimary) => receive(member, message), report);
    const receiveAll = (messages: readonly MessageToPrimary[]) => {
      member.silent = 0;
      for (const message of messages) receiveOne(message);
    };
    worker.on('message', guarded(receiveAll, report));
    worker.on('error', guarded(report, report));
    members.add(member);
    inform('a worker starts', { worker: id, process: child.pid });
    return member;
  };
  const gone = async (member: Member) => {
    const { id, worker, state, channels } = member;
    members.delete(member);
    member.state = 'ended';
    for (const channel of channels.values()) channel.close();
    counts.drop(id);
    elect();
    const { exitCode, signalCode } = worker.process;
    const how = signalCode === null ? `with status ${exitCode}` : `by ${signalCode}`;
    if (isStarting && !isStopping) failure(new StartError(`a worker has ended ${how} before it served`));
    else if (state !== 'stopping') log('warn', `worker ${id} has ended ${how} and is replaced`);
    if (member.figures.length === 0) return;
    const { lasting } = await import('../../observe/metrics/sum.ts');
    past = await lasting([past, member.figures]);
  };
  /** Has one worker run until the end. */
  const keepOne = async () => {
    for (let wait = RESTART; !isStopping; ) {
      const member = begin();
      await member.ended;
      if (member.hasServed) wait = RESTART;
      else {
        await delay(wait, undefined, { ref: false });
        wait = Math.min(2 * wait, LONGEST_RESTART);
      }
    }
  };
  const stopOne = async (member: Member) => {
    member.state = 'stopping';
    // One that does not serve yet is ended by the signal.
    if (!member.hasServed) member.worker.process.kill('SIGTERM');
    else member.post({ kind: 'stop' });
    elect();
    await member.ended;
  };
  const allServe = () =>
    new Promise<number>((resolve) => {
      served = resolve;
    });

  let restarting: Promise<void> | undefined;
  /** One after the other, so that the others serve meanwhile and no more connections are open than the pools may have. */
  const restart = async () => {
    inform('the workers are restarted one after the other');
    for (const member of [...members]) {
      if (isStopping) return;
      const serve = allServe();
      await stopOne(member);
      await serve;
    }
    inform('the workers have been restarted');
  };
  const stop = async () => {
    // The second signal does not wait.
    if (isStopping) return end(1);
    isStopping = true;
    await Promise.all([...members].map(stopOne));
    // The metadata thread waits for its databases, each worker had the time for its own.
    await within(configuration.gracefulShutdownTimeout * 1000, async () => {
      await relay?.stop();
      await tracing.stop();
    });
    inform('all workers have stopped');
    await observe.flush();
    process.exit(0);
  };
  const end = (status: number) => {
    for (const { worker } of members) worker.process.kill('SIGKILL');
    process.exit(status);
  };
  const watch = setInterval(() => {
    for (const member of members) {
      member.silent += 1;
      if (member.silent <= STUCK) continue;
      log('error', `worker ${member.id} has been stuck for ${STUCK} seconds and is ended`);
      member.worker.process.kill('SIGKILL');
    }
  }, 1000);
  watch.unref();

  cluster.setupPrimary({ serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'] } as object);
  const failed = new Promise<never>((_, reject) => {
    failure = reject;
  });
  const started = allServe();
  for (let place = 0; place < number; place += 1) keepOne().catch(report);
  process.on('SIGTERM', guarded(stop, report));
  process.on('SIGINT', guarded(stop, report));
  const hangUp = () => {
    if (isStarting) return;
    restarting ??= restart().finally(() => {
      restarting = undefined;
    });
    return restarting;
  };
  process.on('SIGHUP', guarded(hangUp, report));
  try {
    const port = await Promise.race([started, failed]);
    inform('all workers serve', { workers: number, port });
  } catch (error) {
    isStopping = true;
    for (const { worker } of members) worker.process.kill('SIGKILL');
    throw error;
  }
  isStarting = false;
}

/** Passes on what a worker writes in whole lines: several processes that write to one pipe would break each other's. */
function writeWholeLines(
  from: NodeJS.ReadableStream,
  write: (text: string | Buffer) => unknown,
  report: (error: unknown) => void,
): void {
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end > 0) write(Buffer.concat([rest, chunk.subarray(0, end)]));
    rest = end > 0 ? chunk.subarray(end) : Buffer.concat([rest, chunk]);
  };
  const ended = () => {
    if (rest.length > 0) write(Buffer.concat([rest, Buffer.from('\n')]));
  };
  from.on('data', guarded(take, report));
  from.on('end', guarded(ended, report));
}
