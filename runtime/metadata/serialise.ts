/** The metadata as the text that is stored, at a cost proportional to what changed since the last time. */
import type { Metadata, Source, TableEntry } from '../../compiler/model/metadata.ts';
import { byKey } from '../../compiler/phases/1-read/export-json.ts';
import { exportMetadata, exportSource } from '../../compiler/phases/1-read/export-metadata.ts';
import { exportTable } from '../../compiler/phases/1-read/export-table.ts';

/** Makes the function that gives the text of metadata; it remembers the texts of the table entries that are in use. */
export function createSerialiser(): (metadata: Metadata) => string {
  const texts = new WeakMap<TableEntry, string>();
  const tableText = (entry: TableEntry): string => {
    const text = texts.get(entry) ?? JSON.stringify(exportTable(entry));
    texts.set(entry, text);
    return text;
  };
  const sourceText = (source: Source): string => {
    const tables = byKey(source.tables, ({ table }) => [table.schema, table.name]);
    const empty = JSON.stringify(exportSource({ ...source, tables: [] }));
    return fillList(empty, 'tables', tables.map(tableText));
  };
  return (metadata) => {
    const sources = byKey(metadata.sources, ({ name }) => (name === 'default' ? '' : name));
    const empty = JSON.stringify(exportMetadata({ ...metadata, sources: [] }, 'store'));
    return fillList(empty, 'sources', sources.map(sourceText));
  };
}

/** Puts items into the list under a key, which is empty and the first of its kind. Quotes within strings are escaped. */
function fillList(text: string, key: string, items: readonly string[]): string {
  const opening = `${JSON.stringify(key)}:[`;
  const place = text.indexOf(`${opening}]`) + opening.length;
  return `${text.slice(0, place)}${items.join(',')}${text.slice(place)}`;
}
