/** The difference of a metadata change in its stored form: its size depends on the change, not on the metadata. */

import { objectKey } from '../../core/names.ts';
import { jsonText } from '../../core/types.ts';
import { exportMetadata } from '../../metadata/export-metadata.ts';
import { sourceCodec } from '../../metadata/kinds/source.ts';
import { tableEntry } from '../../metadata/kinds/table.ts';
import type { Metadata, TableEntry } from '../../metadata/metadata.ts';
import { without } from '../change/edit.ts';

/** Rows to write and to remove. Definitions are JSON texts. */
export interface StoredChange {
  /** The metadata without its sources; it is always written. */
  readonly head: string;
  readonly sources: Rows<SourceKey>;
  readonly tables: Rows<TableKey>;
}

interface Rows<Key> {
  readonly written: readonly (Key & { readonly definition: string })[];
  readonly removed: readonly Key[];
}

/** Its row holds the source without its tables. */
interface SourceKey {
  readonly name: string;
}

interface TableKey {
  readonly source: string;
  readonly schema: string;
  readonly name: string;
}

/** @param before what is stored; sources and tables that are still the identical objects are not written again */
export function storedChange(before: Metadata, after: Metadata): StoredChange {
  const sources = difference(before.sources, after.sources, ({ name }) => name);
  const stored = new Map(before.sources.map((source) => [source.name, source]));
  const tables = [
    ...sources.written.map((source) =>
      tableRows(source.name, stored.get(source.name)?.tables ?? [], source.tables),
    ),
    ...sources.removed.map((source) => tableRows(source.name, source.tables, [])),
  ];
  return {
    head: jsonText(without(exportMetadata({ ...after, sources: [] }, 'store'), 'sources')),
    sources: {
      written: sources.written.map((source) => ({
        name: source.name,
        definition: jsonText(without(sourceCodec.write({ ...source, tables: [] }), 'tables')),
      })),
      removed: sources.removed.map(({ name }) => ({ name })),
    },
    tables: {
      written: tables.flatMap(({ written }) => written),
      removed: tables.flatMap(({ removed }) => removed),
    },
  };
}

function tableRows(
  source: string,
  before: readonly TableEntry[],
  after: readonly TableEntry[],
): Rows<TableKey> {
  const keyOf = ({ table: { schema, name } }: TableEntry): TableKey => ({ source, schema, name });
  const { written, removed } = difference(before, after, ({ table }) => objectKey(table.schema, table.name));
  return {
    written: written.map((entry) => ({
      ...keyOf(entry),
      definition: jsonText(tableEntry.write(entry)),
    })),
    removed: removed.map(keyOf),
  };
}

function difference<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): { readonly written: readonly Item[]; readonly removed: readonly Item[] } {
  const [known, kept] = [new Set(before), new Set(after)];
  const written = after.filter((item) => !known.has(item));
  const keys = new Set(written.map(keyOf));
  return { written, removed: before.filter((item) => !kept.has(item) && !keys.has(keyOf(item))) };
}
