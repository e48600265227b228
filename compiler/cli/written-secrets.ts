/** Finds secrets that metadata has written out, where a name of an environment variable would do. */
import { isObject } from '../../runtime/core/json/json.ts';
import type { Json, MetadataPath } from '../../runtime/metadata/metadata.ts';
import { isCredential } from '../review/lint/webhooks.ts';

/** A password before the host, unless a variable holds it. */
const URL_PASSWORD = /:\/\/[^/@\s]*:(?!\{\{[^{}]*\}\}@)[^/@\s]+@/;
/** The same in a connection string of words, or in a URL's query. */
const WORD_PASSWORD = /\bpassword\s*=\s*(?!\{\{)\S/i;

export interface WrittenSecret {
  readonly path: MetadataPath;
  /** What to write instead. */
  readonly instead: string;
}

/** @param document metadata as it is written to files */
export function writtenSecrets(document: Json): WrittenSecret[] {
  const found: WrittenSecret[] = [];
  search(document, [], (path, instead) => found.push({ path: [...path], instead }));
  return found;
}

/** @param path grows and shrinks as the document is walked */
function search(
  value: Json,
  path: MetadataPath[number][],
  report: (path: MetadataPath, instead: string) => void,
): void {
  const key = path.at(-1);
  if (typeof value === 'string') {
    if (key === 'database_url' && (URL_PASSWORD.test(value) || WORD_PASSWORD.test(value)))
      report(path, 'put the address into an environment variable: {from_env: NAME}');
    else if (key === 'password' && path.at(-2) === 'connection_parameters')
      report(path, 'put the whole address into an environment variable: {from_env: NAME}');
    else if (URL_PASSWORD.test(value))
      report(path, 'put the secret part into an environment variable: {{NAME}}');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const inside = (each: string | number, item: Json) => {
    path.push(each);
    search(item, path, report);
    path.pop();
  };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) inside(index, item);
    return;
  }
  if (!isObject(value)) return;
  const { name, value: text } = value as { readonly name?: unknown; readonly value?: unknown };
  const isHeader = typeof key === 'number' && typeof name === 'string' && typeof text === 'string';
  if (isHeader && isCredential(name) && !/\{\{[^{}]*\}\}/.test(text)) {
    report(path, 'put the value into an environment variable: value_from_env: NAME');
    return;
  }
  for (const [each, item] of Object.entries(value)) inside(each, item as Json);
}
