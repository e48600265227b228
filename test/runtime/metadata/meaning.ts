import type { Metadata } from '../../../runtime/metadata/metadata.ts';

/** The metadata without the places of its entries in the document it was read from. */
export function meaning(metadata: Metadata): unknown {
  return withoutPaths(metadata);
}

function withoutPaths(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPaths);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => key !== 'path' || !Array.isArray(inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutPaths(inner)]));
}
