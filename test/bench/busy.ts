/** `--busy`: keeps every core busy for as long as this process lives, as a neighbour on the same machine does. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Starts a thread for each core that computes without pause. They end with the process. */
export function keepBusy(): void {
  for (let core = 0; core < availableParallelism(); core++)
    new Worker('for (;;) {}', { eval: true, execArgv: [] }).unref();
}
