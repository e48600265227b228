/** The fields that a table's metadata declares besides its columns. */
import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import type { Metadata, QualifiedName, TableEntry } from '../../metadata/metadata.ts';
import { sameName } from '../request/names.ts';
import { findTable } from './edit.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Names of relationships, computed fields and remote relationships. */
export function fieldNames(entry: TableEntry): ReadonlySet<string> {
  return new Set([
    ...relationshipNames(entry),
    ...names(entry.computed_fields),
    ...names(entry.remote_relationships),
  ]);
}

function relationshipNames(entry: TableEntry): readonly string[] {
  return [...names(entry.object_relationships), ...names(entry.array_relationships)];
}

/** The columns of a table as far as its database is known. */
export function columnNames(copy: WorkingCopy, source: string, table: QualifiedName): ReadonlySet<string> {
  const found = copy.catalog(source)?.tables.find((candidate) => sameName(candidate, table));
  return new Set(found?.columns.map((column) => column.name));
}

/** Throws `already-exists` if the tracked table has such a field; errors about the table are at `path`. */
export function refuseTakenField(
  metadata: Metadata,
  { source, table, name }: { readonly source: string; readonly table: QualifiedName; readonly name: string },
  path?: string,
): void {
  if (!fieldNames(findTable(metadata, source, table, path)).has(name)) return;
  throw new EngineError(
    'already-exists',
    `field with name "${name}" already exists in table ${quotedName(table)}`,
  );
}

function names(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(({ name }) => name);
}
