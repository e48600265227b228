/**
 * The metadata API. Loaded on demand: a server that runs a compiled artefact needs neither this folder nor the compiler.
 */

export { MetadataEngine } from './change/engine.ts';
export { keepCurrent } from './change/keep-current.ts';
export type { Compile, MetadataState } from './change/state.ts';
export { answerRequest, type MetadataApiLimits } from './request/answer-request.ts';
export { readRequest } from './request/request.ts';
export { type MetadataStore, openMetadataStore } from './store/store.ts';
