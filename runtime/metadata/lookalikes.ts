/**
 * Literals of rules and presets that look like session variables of another vocabulary, such as `X-Acme-User-Id`. They are
 * what metadata of another engine has where the vocabulary was forgotten: as literals they could let every row through.
 */

import { messages } from '../core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../core/diagnostics/diagnostic.ts';
import { isVocabularyWord, type Vocabulary } from '../core/vocabulary.ts';
import type { Json, Metadata, MetadataPath, RemoteSchemaPermission, TableEntry } from './metadata.ts';
import { sessionVariable } from './values.ts';

/** Those of all permissions. */
export function lookalikes({ sources, remote_schemas }: Metadata, vocabulary: Vocabulary): Diagnostic[] {
  const values = [
    ...sources.flatMap(({ tables }) => tables.flatMap(permissionsOf)).flatMap(valuesOf),
    ...remote_schemas.flatMap(({ permissions }) => permissions).flatMap(presetsOf),
  ];
  return lookalikesIn(values, vocabulary);
}

/** One warning for each word, at its first literal: a whole import has thousands of them. */
export function lookalikesIn(values: readonly Value[], vocabulary: Vocabulary): Diagnostic[] {
  const found = new Map<string, { readonly name: string; readonly path: MetadataPath; count: number }>();
  const visit = (value: Json | undefined, path: MetadataPath): void => {
    if (typeof value === 'string') {
      const word = wordOf(value, vocabulary);
      const known = word === undefined ? undefined : found.get(word);
      if (known) known.count += 1;
      else if (word !== undefined) found.set(word, { name: value, path, count: 1 });
    } else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value))
        visit(item as Json, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  for (const { path, value } of values) visit(value, path);
  return [...found].map(([word, { name, path, count }]) =>
    at(
      path,
      messages.literalLikeSessionVariable({
        name,
        prefix: vocabulary.prefix,
        word,
        more: count > 1 ? count - 1 : undefined,
      }),
    ),
  );
}

interface Value {
  readonly path: MetadataPath;
  readonly value: Json | undefined;
}

/** The values of a table's permission. */
export function valuesOf({ path, permission }: Rules): readonly Value[] {
  return (['filter', 'check', 'set'] as const).map((key) => ({
    path: [...path, 'permission', key],
    value: permission[key] ?? undefined,
  }));
}

/** The presets of a permission on a remote schema that may be session variables. */
export function presetsOf({
  path,
  definition,
}: Pick<RemoteSchemaPermission, 'path' | 'definition'>): readonly Value[] {
  return [...definition.schema.matchAll(/@preset\s*\(([^)]*)\)/g)]
    .filter(([, given]) => !/\bstatic\s*:\s*true\b/.test(given!))
    .flatMap(([, given]) => [...given!.matchAll(/"([^"\\]+)"/g)])
    .map(([, value]) => ({ path: [...path, 'definition', 'schema'], value }));
}

interface Rules {
  readonly path: MetadataPath;
  readonly permission: { readonly filter?: Json; readonly check?: Json; readonly set?: Json };
}

function permissionsOf(table: TableEntry): readonly Rules[] {
  const { insert_permissions, select_permissions, update_permissions, delete_permissions } = table;
  return [...insert_permissions, ...select_permissions, ...update_permissions, ...delete_permissions];
}

/** `acme` of `X-Acme-User-Id`; undefined for other texts, for session variables and for those that are refused as foreign. */
function wordOf(value: string, vocabulary: Vocabulary): string | undefined {
  if (sessionVariable(value, vocabulary) !== undefined || vocabulary.isForeign(value)) return undefined;
  const word = /^x-([a-z0-9]+)-[a-z0-9-]+$/i.exec(value)?.[1]?.toLowerCase();
  return word !== undefined && isVocabularyWord(word) ? word : undefined;
}
