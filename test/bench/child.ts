/**
 * The benchmark's side of a server that is measured: a process of its own, so that its CPU time is its own. Each one runs as
 * bundled JavaScript on plain Node.js, like the built package: what loads TypeScript takes a tenth of the time of each request.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleSources } from '../harness/bundle.ts';
import type { Answer, Command, ProcessState } from './servers/measured.ts';

/** A running server. */
export interface MeasuredServer {
  readonly port: number;
  /** Microseconds of CPU time that it has used so far. */
  cpuMicroseconds(): Promise<number>;
  state(): Promise<ProcessState>;
  /** Milliseconds from the command to start until the server listened; the program was loaded before. */
  readonly startTime: number;
  stop(): Promise<void>;
  /** SIGKILL; nothing else is to be asked. */
  kill(): Promise<void>;
}

/**
 * Starts the server of a file below servers/. Options travel as a message: they hold passwords.
 * @param checkout another one than this
 */
export async function startMeasured(
  file: string,
  options: unknown,
  checkout?: string,
): Promise<MeasuredServer> {
  const bundle = await bundleSources([`test/bench/servers/${file}`], checkout);
  const child = fork(join(bundle, 'test/bench/servers', file.replace(/\.ts$/, '.js')), [], {
    execArgv: [],
    // What it logs is written, as in production, and thrown away.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await ask(child, { kind: 'cpu' });
  const begin = performance.now();
  const started = await ask(child, { kind: 'start', options });
  if (started.kind !== 'port') throw new Error(`${file}: unexpected answer ${started.kind}`);
  return {
    port: started.port,
    startTime: performance.now() - begin,
    cpuMicroseconds: async () => {
      const answer = await ask(child, { kind: 'cpu' });
      return answer.kind === 'cpu' ? answer.microseconds : 0;
    },
    state: async () => {
      const answer = await ask(child, { kind: 'state' });
      if (answer.kind !== 'state') throw new Error(`unexpected answer ${answer.kind}`);
      return answer;
    },
    kill: async () => {
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill('SIGKILL');
      await ended;
      await rm(bundle, { recursive: true, force: true });
    },
    stop: async () => {
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      await ask(child, { kind: 'stop' });
      await ended;
      await rm(bundle, { recursive: true, force: true });
    },
  };
}

/** Commands are answered one at a time, in order. */
function ask(child: ChildProcess, command: Command): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a measured server ended with status ${code}`));
    child.once('exit', ended);
    child.once('message', (answer: Answer) => {
      child.off('exit', ended);
      if (answer.kind === 'error') reject(new Error(answer.message));
      else resolve(answer);
    });
    child.send(command);
  });
}
