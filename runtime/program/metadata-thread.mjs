/** Entry of the metadata thread in a checkout: a thread does not inherit what loads TypeScript. */
const { register } = await import('tsx/esm/api');
register();
await import('./metadata-thread.ts');
