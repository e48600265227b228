/** Phase 1: metadata, as JSON or as a directory of YAML, to typed metadata; and back to its canonical JSON. */
export { exportMetadata } from '../../../runtime/metadata/export-metadata.ts';
export { emptyMetadata } from '../../../runtime/metadata/metadata.ts';
export { readMetadata } from '../../../runtime/metadata/read-metadata.ts';
export { type FileResult, readMetadataFile } from './read-file.ts';
export type { ParsedFiles } from './yaml-files.ts';
