/** Processor time of an embedded PostgreSQL, from /proc: how much of a request is not the server's. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Microseconds of processor time since the call before. */
export type ProcessorTime = () => number;

/** Of all processes of an embedded cluster. Backends that end between two calls are not counted; NaN where /proc does not tell. */
export function postgresTime(dataDirectory: string): ProcessorTime {
  let postmaster: string;
  try {
    [postmaster = ''] = readFileSync(join(dataDirectory, 'data/postmaster.pid'), 'utf8').split('\n');
  } catch {
    return () => Number.NaN;
  }
  let before = new Map<string, number>();
  return () => {
    const now = timesOf(postmaster);
    let sum = now.size === 0 ? Number.NaN : 0;
    for (const [id, time] of now) sum += time - (before.get(id) ?? 0);
    before = now;
    return sum;
  };
}

/** Microseconds of a process and its children, by process id. */
function timesOf(parent: string): Map<string, number> {
  const times = new Map<string, number>();
  for (const id of processIds()) {
    try {
      const status = readFileSync(`/proc/${id}/stat`, 'utf8');
      // The name, which may have blanks, is in parentheses; after it state and parent.
      const [, parentId] = status.slice(status.lastIndexOf(')') + 2).split(' ');
      if (id !== parent && parentId !== parent) continue;
      const [nanoseconds] = readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ');
      times.set(id, Number(nanoseconds) / 1000);
    } catch {
      // It has ended.
    }
  }
  return times;
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
