/** The child's side of a server that is measured: it is started, asked for what it uses, and stopped by messages. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** From the benchmark to a server. */
export type Command =
  | { readonly kind: 'start'; readonly options: unknown }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'state' }
  | { readonly kind: 'stop' };

/** From a server to the benchmark: one answer to each command. */
export type Answer =
  | { readonly kind: 'port'; readonly port: number }
  /** Microseconds of user and system time so far. */
  | { readonly kind: 'cpu'; readonly microseconds: number }
  | ({ readonly kind: 'state' } & ProcessState)
  | { readonly kind: 'stopped' }
  | { readonly kind: 'error'; readonly message: string };

/** Memory in bytes, times in milliseconds. */
export interface ProcessState {
  readonly resident: number;
  /** Resident memory at its highest since the start. */
  readonly peak: number;
  /** Longest time that the event loop was late since this was asked last; watched from the first question on. */
  readonly stall: number;
}

const RESOLUTION = 5;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION });

/** Makes this process a server that is measured. */
export function serveMeasured<Options>(
  start: (options: Options) => Promise<{ readonly port: number; stop(): Promise<void> }>,
): void {
  let stop = async () => {};
  const answer = async (command: Command): Promise<Answer> => {
    switch (command.kind) {
      case 'start': {
        const server = await start(command.options as Options);
        stop = () => server.stop();
        return { kind: 'port', port: server.port };
      }
      case 'cpu': {
        const { user, system } = process.cpuUsage();
        return { kind: 'cpu', microseconds: user + system };
      }
      case 'state': {
        const stall = Math.max(0, loop.max / 1e6 - RESOLUTION);
        loop.enable();
        loop.reset();
        const { rss: resident } = process.memoryUsage();
        return { kind: 'state', resident, peak: process.resourceUsage().maxRSS * 1024, stall };
      }
      case 'stop':
        await stop();
        return { kind: 'stopped' };
    }
  };
  process.on('message', (command: Command) => {
    answer(command)
      .catch((error: Error): Answer => ({ kind: 'error', message: error.stack ?? error.message }))
      .then((message) =>
        process.send!(message, () => {
          if (command.kind === 'stop') process.disconnect();
        }),
      );
  });
  // The benchmark is gone: nothing must survive it.
  process.on('disconnect', () => process.exit());
}
