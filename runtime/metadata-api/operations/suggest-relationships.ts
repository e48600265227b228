import { object, optional, requiredList, withDefault } from '../../metadata/combinators.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { JsonObject, QualifiedName, TableEntry } from '../../metadata/metadata.ts';
import { boolean } from '../../metadata/values.ts';
import { sourceArgument } from '../arguments.ts';
import { findSource, trackedTable } from '../edit.ts';
import { sameName } from '../names.ts';
import { METADATA, operation } from '../operation.ts';

export default operation({
  name: 'suggest_relationships',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Relationships that the foreign keys between tracked tables suggest, each key both ways.',
  arguments: object({
    source: sourceArgument,
    tables: optional(requiredList(qualifiedName)),
    omit_tracked: withDefault(boolean, false),
  }),
  changesMetadata: false,
  run: ({ source, tables, omit_tracked }, copy) => {
    findSource(copy.metadata, source);
    const wanted = (name: QualifiedName) =>
      tables === undefined || tables.some((table) => sameName(table, name));
    const relationships: JsonObject[] = [];
    for (const table of copy.catalog(source)?.tables ?? []) {
      const from = trackedTable(copy.metadata, source, table);
      if (from === undefined) continue;
      const keys = [table.primaryKey, ...table.uniqueConstraints].filter((key) => key !== undefined);
      for (const { columns, references } of table.foreignKeys) {
        const to = trackedTable(copy.metadata, source, references);
        if (to === undefined) continue;
        const near = end(table, columns);
        const far = end(references, references.columns);
        if (wanted(table) && !(omit_tracked && hasOwnKey(from, columns))) {
          relationships.push({ type: 'object', from: near, to: far });
        }
        if (wanted(references) && !(omit_tracked && hasOtherKey(to, table, columns))) {
          const isUnique = keys.some((key) => sameColumns(key.columns, columns));
          relationships.push({ type: isUnique ? 'object' : 'array', from: far, to: near });
        }
      }
    }
    return { relationships };
  },
});

function end({ schema, name }: QualifiedName, columns: readonly string[]): JsonObject {
  return { table: { schema, name }, columns };
}

function hasOwnKey(entry: TableEntry, columns: readonly string[]): boolean {
  return entry.object_relationships.some(
    ({ using }) => using.kind === 'foreign_key_on_this_table' && sameColumns(using.columns, columns),
  );
}

function hasOtherKey(entry: TableEntry, table: QualifiedName, columns: readonly string[]): boolean {
  return [...entry.object_relationships, ...entry.array_relationships].some(
    ({ using }) =>
      using.kind === 'foreign_key_on_other_table' &&
      sameName(using.table, table) &&
      sameColumns(using.columns, columns),
  );
}

function sameColumns(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((column) => right.includes(column));
}
