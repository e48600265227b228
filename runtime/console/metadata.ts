/** What is served beside what is stored. */
import { createHash } from 'node:crypto';
import { remember } from '../core/remember.ts';
import { describeConnectionError } from '../database/connection-error.ts';
import { exportMetadata } from '../metadata/export-metadata.ts';
import { emptyMetadata, type Metadata } from '../metadata/metadata.ts';
import { readMetadata } from '../metadata/read-metadata.ts';
import type { MetadataEngine } from '../metadata-api/change/engine.ts';
import type { SourceDatabase } from '../metadata-api/change/state.ts';
import type { MetadataStore } from '../metadata-api/store/store.ts';
import type { MetadataAnswer } from './operator-questions.ts';

/** Memo: metadata and programs never change. */
const metadataHashes = new WeakMap<Metadata, string>();
const programHashes = new WeakMap<object, string>();

/** Reads the stored metadata only where its version is another one than the served. */
export async function metadataOf(
  { state, vocabulary }: Pick<MetadataEngine<SourceDatabase>, 'state' | 'vocabulary'>,
  store: Pick<MetadataStore, 'readVersion' | 'read'>,
): Promise<MetadataAnswer> {
  const { metadata, resourceVersion, compilation, inconsistent } = state;
  const served = { resourceVersion, hash: hashOfMetadata(metadata) };
  const program = remember(programHashes, compilation, () =>
    hashOf([...compilation.programFiles].sort(([left], [right]) => (left < right ? -1 : 1))),
  );
  const answer = { served, program, inconsistencies: inconsistent.length };
  try {
    if ((await store.readVersion()) === resourceVersion) return { ...answer, stored: served };
    const stored = await store.read();
    const read =
      stored.metadata === undefined ? emptyMetadata : readMetadata(stored.metadata, { vocabulary }).value;
    return { ...answer, stored: { resourceVersion: stored.resourceVersion, hash: hashOfMetadata(read) } };
  } catch (error) {
    return { ...answer, unreachable: describeConnectionError(error) };
  }
}

function hashOfMetadata(metadata: Metadata): string {
  return remember(metadataHashes, metadata, () => hashOf(exportMetadata(metadata)));
}

/** Enough of a hash for people to compare. */
function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
