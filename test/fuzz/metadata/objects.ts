/** The objects of an export, named as lists of dependents name them: an independent reading of what a change took away. */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';

interface ExportedTable {
  readonly table: { readonly schema: string; readonly name: string };
  readonly [list: string]: unknown;
}

/** Names of all objects inside tables, and of the functions. */
export function dependentNames(exported: string): ReadonlySet<string> {
  const { sources } = JSON.parse(exported) as {
    sources: { name: string; tables: ExportedTable[]; functions?: { function: ExportedTable['table'] }[] }[];
  };
  const names = new Set<string>();
  for (const { name: source, tables, functions = [] } of sources) {
    const place = `in source "${source}"`;
    for (const table of tables) {
      const of = shown(table.table);
      const each = (list: string, name: (item: JsonObject) => string) => {
        for (const item of (table[list] ?? []) as JsonObject[]) names.add(`${name(item)} ${place}`);
      };
      for (const list of ['object_relationships', 'array_relationships']) {
        each(list, ({ name }) => `relationship ${of}.${name}`);
      }
      each('computed_fields', ({ name }) => `computed field ${of}.${name}`);
      each('remote_relationships', ({ name }) => `remote relationship ${of}.${name}`);
      each('event_triggers', ({ name }) => `event-trigger ${of}.${name}`);
      for (const kind of ['insert', 'select', 'update', 'delete']) {
        each(`${kind}_permissions`, ({ role }) => `permission ${of}.${role}.${kind}`);
      }
    }
    for (const entry of functions) names.add(`function ${shown(entry.function)} ${place}`);
  }
  return names;
}

function shown({ schema, name }: ExportedTable['table']): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}
