/**
 * Preloaded (`--import`) into a process that is measured: answers messages with its CPU time and memory so far, and sends them
 * once more before it ends. Plain JavaScript, because what loads TypeScript would be measured as well.
 */
process.on('message', report);
// The channel must not keep the process alive.
process.channel?.unref();
process.once('beforeExit', report);

function report() {
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpu: (user + system) / 1000,
    memory: process.memoryUsage.rss() / 1e6,
    peakMemory: (process.resourceUsage().maxRSS * 1024) / 1e6,
  });
}
