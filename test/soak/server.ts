/** A server in a process of its own, so that its memory is not that of the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../runtime/server/main.ts';
import { freePort } from '../harness/free-port.ts';
import { send } from '../harness/server.ts';

/** Megabytes. */
export interface MemorySample {
  /** By performance.now(). */
  readonly at: number;
  /** The heap of the serving thread after a collection. */
  readonly heap: number;
  /** The whole process, the metadata thread included. */
  readonly resident: number;
}

export interface SoakServer extends RunningServer {
  /** Collects garbage and measures; undefined while the server does not answer. */
  readonly memory: () => Promise<MemorySample | undefined>;
}

/** Collects garbage on a signal, so that what is measured then is in use. */
const COLLECT = `data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())`;

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Milliseconds that a server has to stop. */
const STOPS_WITHIN = 60_000;

/** @param options environment variables without their prefix */
export async function startSoakServer(options: Readonly<Record<string, string>>): Promise<SoakServer> {
  const port = await freePort();
  const environment: Record<string, string | undefined> = {
    ...process.env,
    ENGINE_GRAPHQL_SERVER_HOST: '127.0.0.1',
    ENGINE_GRAPHQL_SERVER_PORT: String(port),
    ENGINE_GRAPHQL_ENABLED_APIS: 'metadata,graphql,metrics',
    ENGINE_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '30',
  };
  for (const [name, value] of Object.entries(options)) environment[`ENGINE_GRAPHQL_${name}`] = value;
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', COLLECT, path('../../compiler/cli/bin.mjs'), 'serve'],
    { env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const server: SoakServer = {
    port,
    memory: async () => {
      child.kill('SIGUSR2');
      await delay(500);
      const { text } = await send(server, '/v1/metrics', { method: 'GET' });
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 2 ** 20;
      const heap = value('engine_nodejs_heap_size_used_bytes');
      const resident = value('engine_process_resident_memory_bytes');
      return heap > 0 && resident > 0 ? { at: performance.now(), heap, resident } : undefined;
    },
    stop: async () => {
      if (child.exitCode !== null)
        throw new Error(`the server ended by itself, with status ${child.exitCode}`);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN);
      const [status] = (await ended) as [number | null];
      clearTimeout(timer);
      if (status !== 0) throw new Error(`the server did not stop in order: status ${status}`);
    },
  };
  const isReady = async () =>
    (await send(server, '/readyz', { method: 'GET' }).catch(() => undefined))?.status === 200;
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the server ended with status ${child.exitCode}`);
    await delay(200);
  }
  return server;
}
