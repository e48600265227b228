/** Metadata that tests write in TypeScript, where a case on disk would not do. */
import type { Json, JsonObject } from '../../runtime/metadata/metadata.ts';

/** The source `default`; `parts` are its tables, functions and further keys. */
export function defaultSource<Parts extends object>(
  parts: Parts,
  database_url: Json = { from_env: 'DATABASE_URL' },
) {
  const configuration = { connection_info: { database_url } };
  return { name: 'default', kind: 'postgres', configuration, ...parts };
}

/** Metadata of one source, `default`, with these tables; `more` are further keys of the document. */
export function metadataOf(tables: readonly object[], more: object = {}, database_url?: Json): JsonObject {
  return { version: 3, sources: [defaultSource({ tables }, database_url)], ...more } as unknown as JsonObject;
}
