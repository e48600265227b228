/** What grids share: elements that are used again, and how the keyboard moves a cell. */
import { type KeyboardEvent, useRef } from 'react';

/** Position of a cell. */
export interface At {
  readonly row: number;
  readonly column: number;
}

/**
 * Gives items keys that repeat, so that the element of one that left the view is used for one that enters it; in the order of
 * the keys, so that no element moves within the document.
 */
export function useKept<Item extends { readonly index: number }>(
  items: readonly Item[],
): readonly (Item & { kept: number })[] {
  const pool = useRef(1);
  pool.current = Math.max(pool.current, items.length);
  return items
    .map((item) => ({ ...item, kept: item.index % pool.current }))
    .sort((left, right) => left.kept - right.kept);
}

/** Where a key leads; undefined for a key that moves nothing. @param first the first column */
export function moved(
  { key, ctrlKey }: KeyboardEvent,
  { row, column }: At,
  {
    page,
    rows,
    columns,
    first = -1,
  }: { readonly page: number; readonly rows: number; readonly columns: number; readonly first?: number },
): At | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'PageUp':
      return { row: row - page, column };
    case 'PageDown':
      return { row: row + page, column };
    case 'Home':
      return { row: ctrlKey ? 0 : row, column: first };
    case 'End':
      return { row: ctrlKey ? rows - 1 : row, column: columns - 1 };
  }
  return undefined;
}

export function clamped(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
