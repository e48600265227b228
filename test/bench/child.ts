/** The benchmark's side of a server that is measured: a process of its own, so that its CPU time is its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, Command } from './servers/measured.ts';

/** A running server. */
export interface MeasuredServer {
  readonly port: number;
  /** Microseconds of CPU time that it has used so far. */
  cpuMicroseconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the server of a file below servers/. Options travel as a message: they hold passwords. */
export async function startMeasured(file: string, options: unknown): Promise<MeasuredServer> {
  const child = fork(fileURLToPath(new URL(`servers/${file}`, import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    // What it logs is written, as in production, and thrown away.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const started = await ask(child, { kind: 'start', options });
  if (started.kind !== 'port') throw new Error(`${file}: unexpected answer ${started.kind}`);
  return {
    port: started.port,
    cpuMicroseconds: async () => {
      const answer = await ask(child, { kind: 'cpu' });
      return answer.kind === 'cpu' ? answer.microseconds : 0;
    },
    stop: async () => {
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      await ask(child, { kind: 'stop' });
      await ended;
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
