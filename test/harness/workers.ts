/** A server of several processes, and what a test wants to know of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../runtime/server/main.ts';
import type { TestDatabase } from './postgres.ts';
import { send } from './server.ts';

const program = fileURLToPath(new URL('../../compiler/cli/bin.mjs', import.meta.url));

export interface Workers extends RunningServer {
  readonly child: ChildProcess;
  /** The log so far. */
  readonly lines: () => readonly LogLine[];
  /** Runs a metadata operation. @throws Error when it is refused */
  readonly metadata: (type: string, args: object) => Promise<void>;
  /** Process numbers of all workers that were ever started, by their own numbers. */
  readonly processes: () => ReadonlyMap<number, number>;
  /** The worker that delivers events. */
  readonly leader: () => number;
  /** Waits until so many lines of the log have this message. */
  readonly said: (message: string, times?: number) => Promise<void>;
}

interface LogLine {
  readonly type: string;
  readonly level: string;
  readonly worker?: number;
  // biome-ignore lint/suspicious/noExplicitAny: as docs/logs.md says.
  readonly detail: any;
}

/**
 * Starts a server, and waits until all workers serve.
 * @param environment options without their prefix
 * @param command what Node.js runs
 */
export async function startWorkers(
  database: TestDatabase,
  workers: number,
  environment: Readonly<Record<string, string>> = {},
  command: readonly string[] = [program, 'serve'],
): Promise<Workers> {
  const options = { SERVER_PORT: '0', WORKERS: String(workers), DATABASE_URL: database.url, ...environment };
  const child = spawn(process.execPath, command, {
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(
        Object.entries(options).map(([name, value]) => [`ENGINE_GRAPHQL_${name}`, value]),
      ),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine);
  const said = async (message: string, times = 1) => {
    while (text.split(message).length <= times) {
      if (child.exitCode !== null) throw new Error(`the server has ended:\n${text}`);
      await delay(50);
    }
  };
  await said('all workers serve');
  const port = Number(/"all workers serve","workers":\d+,"port":(\d+)/.exec(text)![1]);
  const ofWorkers = (message: string) =>
    lines().flatMap(({ detail }) => (detail.info?.message === message ? [detail.info] : []));
  return {
    child,
    port,
    lines,
    said,
    metadata: async (type, args) => {
      const secret = environment.ADMIN_SECRET;
      const headers = secret === undefined ? {} : { 'x-engine-admin-secret': secret };
      const answer = await send({ port } as RunningServer, '/v1/metadata', { headers, body: { type, args } });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    processes: () => new Map(ofWorkers('a worker starts').map(({ worker, process }) => [worker, process])),
    leader: () => ofWorkers('a worker delivers events').at(-1)!.worker,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
