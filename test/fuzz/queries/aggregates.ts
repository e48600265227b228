/** Aggregates of cells, with their type and as SQL has them: null of nothing. */
import type { Lens } from './lens.ts';
import { columnNamed, type Row, type Table } from './project.ts';
import { addDecimals, equal, type FuzzType, moments, TYPES, type Value } from './types.ts';

export function present(values: readonly Value[]): Value[] {
  return values.filter((value) => value !== null);
}

/** An aggregate whose value is certain to the last digit, and the type it is compared by. */
export function aggregateOf(
  type: FuzzType,
  name: string,
  cells: readonly Value[],
): { readonly value: Value; readonly type: FuzzType } {
  const values = present(cells);
  if (values.length === 0) return { value: null, type };
  switch (name) {
    case 'max':
    case 'min':
      return { value: extreme(type, name, values), type };
    case 'sum':
      return type.number === 'float'
        ? { value: values.reduce<number>((total, value) => total + Number(value), 0), type }
        : { value: addDecimals(values.map(String)), type: TYPES.numeric };
    case 'avg':
      return { value: moments(values).mean, type: TYPES.float8 };
    case 'bool_and':
      return { value: values.every((value) => value === true), type };
    case 'bool_or':
      return { value: values.some((value) => value === true), type };
    case 'stddev_samp':
    case 'var_samp':
      // Of these only whether there is one is asked.
      return { value: values.length > 1 ? 0 : null, type };
    default:
      throw new Error(`no certain value of ${name}`);
  }
}

export function extreme(type: FuzzType, name: 'max' | 'min', values: readonly Value[]): Value {
  return values.reduce((best, value) => {
    const result = type.compare!(value, best);
    return (name === 'max' ? result > 0 : result < 0) ? value : best;
  });
}

/** Several columns are one row value, which is never null itself. */
export function count(
  lens: Lens,
  table: Table,
  rows: readonly Row[],
  columns: readonly string[],
  distinct: boolean,
): number {
  if (columns.length === 0) return rows.length;
  const counted =
    columns.length > 1 ? rows : rows.filter((row) => lens.cell(table, row, columns[0]!) !== null);
  if (!distinct) return counted.length;
  const kept: Row[] = [];
  for (const row of counted)
    if (!kept.some((other) => sameCells(lens, table, row, other, columns))) kept.push(row);
  return kept.length;
}

/** Whether two rows show the same; null is the same as null here. */
export function sameCells(
  lens: Lens,
  table: Table,
  left: Row,
  right: Row,
  names: readonly string[],
): boolean {
  return names.every((name) => {
    const [one, other] = [lens.cell(table, left, name), lens.cell(table, right, name)];
    if (one === null || other === null) return one === other;
    return equal(TYPES[columnNamed(table, name).type], one, other);
  });
}
