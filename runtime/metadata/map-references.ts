/** The walk through all names of a whole metadata that refer to other objects. */
import type { SourceCatalog } from '../catalog/catalog.ts';
import { type Codec, mapNames } from './codec.ts';
import { type Metadata, metadataBody } from './metadata.ts';
import { createReferenceContext } from './reference-context.ts';
import { type ReferenceVisitor, Walk } from './references.ts';

/**
 * The metadata with every name as the visitor answers, without the objects that it leaves out. Entries in which nothing
 * changes keep their identity, so that they are not compiled again.
 */
export function mapReferences(
  metadata: Metadata,
  catalogs: (source: string) => SourceCatalog | undefined,
  visitor: ReferenceVisitor,
): Metadata {
  const contextOf = (name: string) => {
    const source = metadata.sources.find((candidate) => candidate.name === name)!;
    return createReferenceContext(source, catalogs(name));
  };
  return mapNames(metadataBody as unknown as Codec<Metadata>, metadata, new Walk(visitor, contextOf));
}
