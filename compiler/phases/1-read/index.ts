/** Phase 1: metadata, as JSON or as a directory of YAML, to typed metadata; and back to its canonical JSON. */
export { exportMetadata } from './export-metadata.ts';
export { type FileResult, readMetadataFile } from './read-file.ts';
export { emptyMetadata, readMetadata } from './read-metadata.ts';
