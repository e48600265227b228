/** Entry of the thread that holds the metadata. Plain JavaScript: a thread does not inherit what loads TypeScript. */
const { register } = await import('tsx/esm/api');
register();
const { runMetadataThread } = await import('./metadata-thread.ts');
await runMetadataThread();
