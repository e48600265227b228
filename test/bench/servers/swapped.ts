/** The server whose metadata changes, in a process of its own: what its event loop stalls is its own doing. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { compilerModule } from '../../../compiler/module.ts';
import { readConfiguration } from '../../../runtime/configuration/configuration.ts';
import { createLogger } from '../../../runtime/observe/logs/logger.ts';
import { startServer } from '../../../runtime/server/main.ts';

export interface SwapServerOptions {
  readonly databaseUrl: string;
  readonly metadataDatabaseUrl: string;
}

export type SwapCommand =
  | { readonly kind: 'start'; readonly options: SwapServerOptions }
  /** Answers the figures since the last question. */
  | { readonly kind: 'figures' }
  | { readonly kind: 'stop' };

export interface SwapFigures {
  /** Longest time that the event loop was late, milliseconds. */
  readonly stall: number;
  /** User and system time of the process, both threads, milliseconds. */
  readonly cpu: number;
  /** Of the serving thread after a forced collection, megabytes. */
  readonly heap: number;
  /** Resident memory at its highest since the start, megabytes. */
  readonly peakMemory: number;
}

export type SwapAnswer =
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'figures'; readonly figures: SwapFigures }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'error'; readonly message: string };

const RESOLUTION = 5;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
let cpu = process.cpuUsage();
let stop = async () => {};

async function answer(command: SwapCommand): Promise<SwapAnswer> {
  switch (command.kind) {
    case 'start': {
      const environment = {
        ENGINE_GRAPHQL_DATABASE_URL: command.options.databaseUrl,
        ENGINE_GRAPHQL_METADATA_DATABASE_URL: command.options.metadataDatabaseUrl,
        ENGINE_GRAPHQL_SERVER_PORT: '0',
      };
      const configuration = readConfiguration({}, environment);
      const observe = createLogger(configuration, { write: () => {} });
      const server = await startServer({ configuration, environment, compiler: compilerModule, observe });
      stop = () => server.stop();
      loop.enable();
      return { kind: 'port', port: server.port };
    }
    case 'figures': {
      const stall = Math.max(0, loop.max / 1e6 - RESOLUTION);
      const { user, system } = process.cpuUsage(cpu);
      // The collection is the benchmark's, and no stall of the server.
      globalThis.gc?.();
      const figures: SwapFigures = {
        stall,
        cpu: (user + system) / 1000,
        heap: process.memoryUsage().heapUsed / 2 ** 20,
        peakMemory: process.resourceUsage().maxRSS / 1024,
      };
      await new Promise((done) => setTimeout(done, 3 * RESOLUTION));
      loop.reset();
      cpu = process.cpuUsage();
      return { kind: 'figures', figures };
    }
    case 'stop':
      await stop();
      return { kind: 'stopped' };
  }
}

process.on('message', (command: SwapCommand) => {
  answer(command)
    .catch((error: Error): SwapAnswer => ({ kind: 'error', message: error.stack ?? error.message }))
    .then((message) =>
      process.send!(message, () => {
        if (command.kind === 'stop') process.disconnect();
      }),
    );
});
// The benchmark is gone: nothing must survive it.
process.on('disconnect', () => process.exit());
