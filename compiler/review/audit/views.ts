/** Views that show a column of a table, or whose queries mention it. */
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';

export interface ViewOf {
  readonly view: Table;
  /** Columns of the view that show the column as it is. */
  readonly shown: readonly string[];
  /** The query mentions it. */
  readonly isMentioned: boolean;
}

type Views = ReadonlyMap<string, readonly ViewOf[]>;

const known = new WeakMap<Program, ReadonlyMap<Table, Views>>();

/** In the order of the program's tables. Every column of every role asks, so a program's views are indexed once. */
export function viewsOf(program: Program, table: Table, column: string): readonly ViewOf[] {
  const index = remember(known, program, () => indexViews(program));
  return index.get(table)?.get(column) ?? [];
}

function indexViews({ tables }: Program): Map<Table, Map<string, ViewOf[]>> {
  const byName = new Map(tables.map((table) => [nameOf(table, table.key), table]));
  const index = new Map<Table, Map<string, ViewOf[]>>();
  for (const view of tables) {
    const { reads, columns } = view.shape;
    if (!reads) continue;
    const found = new Map<Table, Map<string, { shown: string[]; isMentioned: boolean }>>();
    const entry = (key: string, column: string) => {
      const table = byName.get(nameOf(view, key));
      if (!table || table === view) return undefined;
      const ofTable = remember(found, table, () => new Map());
      return remember(ofTable, column, () => ({ shown: [] as string[], isMentioned: false }));
    };
    for (const [key, names] of Object.entries(reads))
      for (const name of names) {
        const mentioned = entry(key, name);
        if (mentioned) mentioned.isMentioned = true;
      }
    for (const [name, { origin }] of Object.entries(columns))
      if (origin) entry(origin.table, origin.column)?.shown.push(name);
    for (const [table, ofTable] of found)
      for (const [column, facts] of ofTable)
        remember(
          remember(index, table, () => new Map<string, ViewOf[]>()),
          column,
          (): ViewOf[] => [],
        ).push({ view, ...facts });
  }
  return index;
}

function nameOf({ source }: Table, key: string): string {
  return JSON.stringify([source.name, key]);
}
