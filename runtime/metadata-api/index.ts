/**
 * The metadata API. Loaded on demand: a server that runs a compiled artefact needs neither this folder nor the compiler.
 */
export { type ApiLimits, answerRequest } from './answer-request.ts';
export { MetadataEngine } from './engine.ts';
export { keepCurrent } from './keep-current.ts';
export { readRequest } from './request.ts';
export type { Compile, MetadataState } from './state.ts';
export { type MetadataStore, openMetadataStore } from './store.ts';
