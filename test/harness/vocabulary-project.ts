/**
 * Reads, exports and compiles a project in the vocabulary of the first argument. A program of its own, because a process has
 * one vocabulary. Standard input: a ProjectInput; standard output: a ProjectOutput.
 */
import { text } from 'node:stream/consumers';
import { compile } from '../../compiler/index.ts';
import type { CatalogResult, RemoteResult } from '../../compiler/phases/3-resolve/index.ts';
import { setVocabulary } from '../../runtime/core/vocabulary.ts';
import { exportMetadata } from '../../runtime/metadata/export-metadata.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';

export interface ProjectInput {
  /** JSON text. */
  readonly metadata: string;
  readonly catalogs: Readonly<Record<string, CatalogResult>>;
  readonly remotes: Readonly<Record<string, RemoteResult>>;
}

export interface ProjectOutput {
  /** JSON text of the export. */
  readonly exported: string;
  readonly diagnostics: readonly unknown[];
  readonly files: Readonly<Record<string, string>>;
}

setVocabulary(process.argv[2]!);
const { metadata, catalogs, remotes } = JSON.parse(await text(process.stdin)) as ProjectInput;
const read = readMetadata(JSON.parse(metadata));
const compiled = compile({
  metadata: read.value,
  catalogs,
  remotes,
  naming: { enabled: true, default: 'engine-default' },
});
const output: ProjectOutput = {
  exported: JSON.stringify(exportMetadata(read.value), null, 2),
  diagnostics: [...read.diagnostics, ...compiled.diagnostics],
  files: Object.fromEntries(compiled.files),
};
process.stdout.write(JSON.stringify(output));
