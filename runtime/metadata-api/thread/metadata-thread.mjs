/**
 * Entry of the metadata thread in a checkout: a thread does not inherit what loads TypeScript. A bundled compiler has a
 * bundled thread beside it, which loads faster (see test/harness/bundle.ts).
 */
import { workerData } from 'node:worker_threads';

if (workerData.compiler.endsWith('.ts')) {
  (await import('tsx/esm/api')).register();
  await import('./metadata-thread.ts');
} else {
  await import(new URL('../runtime/metadata-api/thread/metadata-thread.js', workerData.compiler).href);
}
