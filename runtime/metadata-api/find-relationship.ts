import { EngineError } from '../core/errors.ts';
import type { QualifiedName } from '../metadata/metadata.ts';
import { findTable } from './edit.ts';
import { sameName } from './names.ts';
import { relationshipNames } from './table-fields.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Makes sure that the table has the relationship; throws `unexpected-payload` for a column's name, else `not-exists`. */
export function findRelationship(
  copy: WorkingCopy,
  source: string,
  table: QualifiedName,
  name: string,
): void {
  const entry = findTable(copy.metadata, source, table);
  if (relationshipNames(entry).includes(name)) return;
  if (columnNames(copy, source, table).has(name)) {
    throw new EngineError(
      'unexpected-payload',
      `expecting a relationship; but, "${name}" is a postgres column; `,
    );
  }
  throw new EngineError('not-exists', `relationship "${name}" does not exist`);
}

/** The columns of a table as far as its database is known. */
export function columnNames(copy: WorkingCopy, source: string, table: QualifiedName): ReadonlySet<string> {
  const found = copy.catalog(source)?.tables.find((candidate) => sameName(candidate, table));
  return new Set(found?.columns.map((column) => column.name));
}
