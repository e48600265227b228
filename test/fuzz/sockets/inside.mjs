/**
 * Loaded into the fuzzed server before anything else: tells its parent for how long the serving thread was busy at a stretch,
 * in processor time, which other programs on the machine do not lengthen, how large its heap is, and which properties every object
 * has got of what peers sent.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const INTERVAL = 5;

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Function.prototype, Object];
const KNOWN = new Set(PROTOTYPES.flatMap((each) => Reflect.ownKeys(each)));

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
    process.send({
      stall: Math.max(longest, now - last),
      heap: process.memoryUsage().heapUsed,
      inherited: PROTOTYPES.flatMap((each) => Reflect.ownKeys(each).filter((key) => !KNOWN.has(key))).map(
        String,
      ),
    });
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
