/**
 * `npm start`: the help desk example on an embedded PostgreSQL. This file is plain JavaScript so that an old Node and a
 * checkout without packages get a sentence instead of a stack trace; the work is in start.ts.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 9)) {
  fail(`Engine needs Node.js 20.9 or newer; this is ${process.versions.node}.`);
}

let tsx;
try {
  tsx = await import('tsx/esm/api');
} catch {
  fail('The packages are not installed. Run `npm ci` first, then `npm start`.');
}
tsx.register();
const { start } = await import('./start.ts');
await start();

function fail(message) {
  console.error(message);
  process.exit(1);
}
