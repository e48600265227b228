/** Where a relationship leads from a row. */
import type { ApiRelationship } from '../../data-questions.ts';
import type { Place } from './place.ts';
import type { Row } from './request.ts';
import { textOf } from './values.ts';

/** The rows of the target that the relationship joins; undefined where a column that joins them is null, or not visible. */
export function linkOf({ source, table, fields }: ApiRelationship, row: Row): Place | undefined {
  const pairs = Object.entries(fields ?? {});
  if (pairs.length === 0 || pairs.some(([own]) => row[own] === null)) return undefined;
  const lines = pairs.map(([own, column]) => ({ column, operator: '_eq', value: textOf(row[own], '') }));
  return { source, table, asked: { lines, text: '' } };
}
