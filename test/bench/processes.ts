/** Processes that are measured from their start: of the built package, as an operator starts them, with no TypeScript loaded. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const usage = new URL('servers/usage.mjs', import.meta.url).href;

/** CPU time in milliseconds, memory in megabytes (10⁶ bytes). */
export interface Usage {
  readonly cpu: number;
  readonly memory: number;
  readonly peakMemory: number;
}

/** Builds `dist/` and lays out a folder as the installed package has it. Returns the path of the command `engine`. */
export function buildPackage(folder: string): string {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the build failed');
  mkdirSync(join(folder, 'compiler/cli'), { recursive: true });
  for (const name of ['package.json', 'compiler/cli/bin.mjs']) cpSync(join(root, name), join(folder, name));
  for (const name of ['dist', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  return join(folder, 'compiler/cli/bin.mjs');
}

/** Starts `node` with these arguments. Its standard output is thrown away. */
export function startProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, ['--import', usage, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Usage of a running process so far. */
export function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  return nextUsage(child);
}

/** Runs a command to its end. @throws unless its status is one of these */
export async function runProcess(
  args: readonly string[],
  statuses: readonly number[] = [0],
): Promise<Usage & { readonly time: number }> {
  const start = performance.now();
  const child = startProcess(args);
  const [used, code] = await Promise.all([
    nextUsage(child),
    new Promise<number | null>((done) => child.once('exit', done)),
  ]);
  if (code === null || !statuses.includes(code)) throw new Error(`${args[1]} ended with status ${code}`);
  return { ...used, time: performance.now() - start };
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill();
  await ended;
}

function nextUsage(child: ChildProcess): Promise<Usage> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a measured process ended with status ${code}`));
    child.once('exit', ended);
    child.once('message', (used: Usage) => {
      child.off('exit', ended);
      resolve(used);
    });
  });
}
