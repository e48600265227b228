/** A small process that holds the other end of a pipe, and cleans up when the pipe closes: however this process ended. */
import { type ChildProcess, spawn } from 'node:child_process';

/** Stops the server when this process is gone, and then removes the folder. */
export function watch({ pid, folder }: { readonly pid?: number; readonly folder?: string }): ChildProcess {
  const script =
    'cat >/dev/null; [ -z "$1" ] || kill -INT "$1" 2>/dev/null; ' +
    '[ -z "$2" ] || { while [ -n "$1" ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2"; }';
  const watcher = spawn(
    '/bin/sh',
    ['-c', script, 'engine-postgres-watcher', pid === undefined ? '' : String(pid), folder ?? ''],
    {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  watcher.on('error', () => {});
  watcher.unref();
  if (watcher.stdin !== null && 'unref' in watcher.stdin)
    (watcher.stdin as unknown as { unref(): void }).unref();
  return watcher;
}
