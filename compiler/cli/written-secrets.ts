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
  return [...search(document, [])];
}

function* search(value: Json, path: MetadataPath): Generator<WrittenSecret> {
  const key = path.at(-1);
  if (typeof value === 'string') {
    if (key === 'database_url' && (URL_PASSWORD.test(value) || WORD_PASSWORD.test(value)))
      yield { path, instead: 'put the address into an environment variable: {from_env: NAME}' };
    else if (key === 'password' && path.at(-2) === 'connection_parameters')
      yield { path, instead: 'put the whole address into an environment variable: {from_env: NAME}' };
    else if (URL_PASSWORD.test(value))
      yield { path, instead: 'put the secret part into an environment variable: {{NAME}}' };
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* search(item, [...path, index]);
    return;
  }
  if (!isObject(value)) return;
  const { name, value: text } = value as { readonly name?: unknown; readonly value?: unknown };
  const isHeader = typeof key === 'number' && typeof name === 'string' && typeof text === 'string';
  if (isHeader && isCredential(name) && !/\{\{[^{}]*\}\}/.test(text)) {
    yield { path, instead: 'put the value into an environment variable: value_from_env: NAME' };
    return;
  }
  for (const [each, item] of Object.entries(value)) yield* search(item as Json, [...path, each]);
}
