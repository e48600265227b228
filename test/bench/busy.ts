/** `--busy`: keeps every core busy for as long as this process lives, as another program on the same machine does. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Ends with its parent, also where that was killed. */
const LOOP = 'const { ppid } = process; while (process.ppid === ppid);';

/**
 * Starts a process for each core that computes without pause, at the usual priority: whatever is measured gets about half of
 * the machine. Processes, because the processor time of this one is that of the load generator.
 */
export function keepBusy(): void {
  const loops = Array.from({ length: availableParallelism() }, () => {
    const loop = spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' });
    loop.unref();
    return loop;
  });
  process.once('exit', () => {
    for (const loop of loops) loop.kill('SIGKILL');
  });
}
