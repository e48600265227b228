#!/usr/bin/env node
/**
 * The command `engine`: the sources, through tsx, in a checkout; the built files in a package. Plain JavaScript, so that an old
 * Node gets a sentence instead of a stack trace.
 */
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 9)) {
  console.error(`Engine needs Node.js 20.9 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
// Whoever reads the output may have read enough: engine explain | head
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const sources = existsSync(new URL('cli.ts', import.meta.url));
if (sources) (await import('tsx/esm/api')).register();
const { run } = await import(sources ? './cli.ts' : '../../dist/compiler/cli/cli.js');
process.exitCode = await run(process.argv.slice(2));
