/**
 * Loaded into the fuzzed server before anything else: tells its parent for how long the serving thread was busy at a stretch,
 * in processor time, which other programs on the machine do not lengthen, and how large its heap is.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const INTERVAL = 5;

if (isMainThread && process.send) {
  let longest = 0;
  let last = busy();
  setInterval(() => {
    const now = busy();
    longest = Math.max(longest, now - last);
    last = now;
  }, INTERVAL).unref();
  process.on('message', (collects) => {
    if (collects) globalThis.gc();
    const now = busy();
    process.send({ stall: Math.max(longest, now - last), heap: process.memoryUsage().heapUsed });
    longest = 0;
    // Collecting is the question's own work.
    last = busy();
  });
  process.channel.unref();
}

/** Milliseconds of processor time of this thread. */
function busy() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
