import type { MetadataPath } from '../json/json.ts';

/**
 * Prints a path the way the metadata API does: `sources[0].tables[3].permission.set["$key"]`; with a root, as
 * `$.args.sources[0]`. Keys that are no identifiers are quoted.
 */
export function formatPath(path: MetadataPath, root = ''): string {
  let text = root;
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}
