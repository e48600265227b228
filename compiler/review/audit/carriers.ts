/**
 * The other places where a value of a column comes out, for any role: columns of views and tables that show, copy or
 * compute it, views whose queries mention it, functions that read it. Found once for a program, because every role needs them.
 */
import type { Below } from '../../../runtime/core/contract/shapes.ts';
import type { Program, Table, TableFunction } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';

export type Carrier =
  | {
      readonly kind: 'column';
      readonly table: Table;
      readonly column: string;
      readonly from: 'view' | 'computed' | 'default' | 'same rows' | 'reference';
    }
  /** A view whose query mentions it, shown or not. */
  | { readonly kind: 'query'; readonly table: Table; readonly unread?: string }
  | {
      readonly kind: 'computed field';
      readonly table: Table;
      readonly field: string;
      readonly unread?: string;
    }
  | { readonly kind: 'function'; readonly entry: TableFunction; readonly unread?: string }
  /** A default, or what a view's column is computed from, that calls what is not read. */
  | {
      readonly kind: 'unread column';
      readonly table: Table;
      readonly column: string;
      readonly unread: string;
    };

interface Index {
  /** By source, table and column. */
  readonly byColumn: Map<string, Carrier[]>;
  /** By source: what may look at any column. */
  readonly unread: Map<string, Carrier[]>;
}

/** Memo: a program never changes. */
const known = new WeakMap<Program, Index>();

/** In the order of the program's tables; what is not read comes last. */
export function carriersOf(program: Program, table: Table, column: string): readonly Carrier[] {
  const { byColumn, unread } = remember(known, program, () => indexOf(program));
  const source = table.source.name;
  const found = new Set(alike(table).flatMap((key) => byColumn.get(idOf(source, key, column)) ?? []));
  const same = (table.shape.sharesRows ?? []).flatMap((key): Carrier[] => {
    const other = program.tables.find((each) => each.source === table.source && each.key === key);
    return other?.columns.has(column) ? [{ kind: 'column', table: other, column, from: 'same rows' }] : [];
  });
  const isItself = (carrier: Carrier) =>
    carrier.kind === 'column' && carrier.table === table && carrier.column === column;
  return [...same, ...found, ...(unread.get(source) ?? [])].filter((carrier) => !isItself(carrier));
}

type Place = readonly [table: Table, column: string];

/** Columns that refer to a column, directly or by others: their values are values of it. */
export function referringTo(program: Program, table: Table, column: string): Place[] {
  const found: Place[] = [];
  const follow = (to: Table, name: string): void => {
    for (const carrier of carriersOf(program, to, name)) {
      if (carrier.kind !== 'column' || carrier.from !== 'reference') continue;
      const isKnown = [[table, column] as const, ...found].some(
        ([of, each]) => of === carrier.table && each === carrier.column,
      );
      if (isKnown) continue;
      found.push([carrier.table, carrier.column]);
      follow(carrier.table, carrier.column);
    }
  };
  follow(table, column);
  return found;
}

/** The table, and others with the same rows: what reads their column reads this one. */
export function alike({ key, shape }: Table): string[] {
  return [key, ...(shape.sharesRows ?? [])];
}

function idOf(source: string, table: string, column: string): string {
  return JSON.stringify([source, table, column]);
}

function indexOf({ tables, functions }: Program): Index {
  const byColumn = new Map<string, Carrier[]>();
  const unread = new Map<string, Carrier[]>();
  const add = (source: string, table: string, column: string, carrier: Carrier) =>
    remember(byColumn, idOf(source, table, column), (): Carrier[] => []).push(carrier);
  const addAll = (source: string, { reads = {} }: Below, carrier: Carrier) => {
    for (const [key, names] of Object.entries(reads))
      for (const name of names) add(source, key, name, carrier);
  };
  const addUnread = (source: string, carrier: Carrier) =>
    remember(unread, source, (): Carrier[] => []).push(carrier);
  const addCalled = (
    { name, withoutBelow }: Table['source'],
    below: Below | undefined,
    carrier: Extract<Carrier, { kind: 'computed field' | 'function' }>,
  ) => {
    if (below) addAll(name, below, carrier);
    const reason = withoutBelow ? OLDER : reasonOf(below);
    if (reason !== undefined) addUnread(name, { ...carrier, unread: reason });
  };
  for (const table of tables) {
    const { source, shape } = table;
    for (const [column, { origin, below, generated }] of Object.entries(shape.columns)) {
      const isView = shape.kind === 'view' || shape.kind === 'materialized';
      if (origin)
        add(source.name, origin.table, origin.column, { kind: 'column', table, column, from: 'view' });
      const from = generated || isView ? 'computed' : 'default';
      if (below) addAll(source.name, below, { kind: 'column', table, column, from });
      const reason = reasonOf(below);
      if (reason !== undefined)
        addUnread(source.name, { kind: 'unread column', table, column, unread: reason });
    }
    if (shape.below) addAll(source.name, shape.below, { kind: 'query', table });
    const reason = source.withoutBelow && shape.calls ? OLDER : reasonOf(shape.below);
    if (reason !== undefined) addUnread(source.name, { kind: 'query', table, unread: reason });
    for (const { name, shape: field } of table.computedFields.values())
      addCalled(source, field.below, { kind: 'computed field', table, field: name });
    for (const { target, shape: relationship, columns } of table.relationships.values())
      if (relationship.kind === 'object' && !relationship.insertAfter)
        for (const [own, other] of columns)
          add(source.name, target.key, other.name, {
            kind: 'column',
            table,
            column: own.name,
            from: 'reference',
          });
    for (const { columns, target, to } of shape.references ?? []) {
      const key = tables.find((each) => each.source === source && each.key === target)?.shape.primaryKey;
      for (const [index, name] of (to ?? key?.columns ?? []).entries())
        add(source.name, target, name, { kind: 'column', table, column: columns[index]!, from: 'reference' });
    }
  }
  for (const entry of functions) addCalled(entry.source, entry.shape.below, { kind: 'function', entry });
  return { byColumn, unread };
}

const OLDER = 'the catalog was saved by an earlier version: introspect anew';

function reasonOf(below: Below | undefined): string | undefined {
  const reasons = Object.entries(below?.unread ?? {}).map(([key, why]) => `${key} (${why})`);
  return reasons.length > 0 ? reasons.join(', ') : undefined;
}
