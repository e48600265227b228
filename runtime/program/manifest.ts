/** Which served files are not as the compiler wrote them, by the hashes of `manifest.json`. */
import { createHash } from 'node:crypto';

export const MANIFEST = 'manifest.json';

/**
 * Paths of files that were edited, added or removed, with what happened in parentheses; sorted. The compiler signs nothing: an
 * edited manifest fits edited files, so the manifest's own hash is what a release has to keep.
 * @param files by path, the manifest among them; undefined if there is no readable one
 */
export function editedFiles(files: ReadonlyMap<string, string>): string[] | undefined {
  const hashes = readHashes(files.get(MANIFEST));
  if (!hashes) return undefined;
  const listed = Object.entries(hashes).flatMap(([path, hash]) => {
    const text = files.get(path);
    if (text === undefined) return [`${path} (removed)`];
    return createHash('sha256').update(text).digest('hex') === hash ? [] : [`${path} (edited)`];
  });
  const added = [...files.keys()].filter((path) => path.endsWith('.ts') && !Object.hasOwn(hashes, path));
  return [...listed, ...added.map((path) => `${path} (added)`)].sort();
}

function readHashes(text: string | undefined): Readonly<Record<string, string>> | undefined {
  if (text === undefined) return undefined;
  try {
    const { files } = JSON.parse(text) as { readonly files?: unknown };
    return typeof files === 'object' && files !== null ? (files as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}
