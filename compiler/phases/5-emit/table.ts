/** `<table>.table.ts`: the shape of a table, the same for every role. */
import type { TableShape } from '../../../runtime/core/shapes.ts';
import type { FileNames } from './names.ts';
import { inlineLiteral, type Property, templates } from './templates.ts';

/** Text of a table's shape file. */
export function emitTable(shape: TableShape, names: FileNames): string {
  const { columns, relationships = {}, computedFields = {} } = shape;
  return templates.table({
    place: placeOf(shape),
    sourceImport: '../source.ts',
    identifier: names.identifier,
    head: properties(shape, ['schema', 'name', 'kind', 'graphqlName', 'customName', 'description']),
    columns: entries(columns),
    tail: properties(shape, [
      'primaryKey',
      'unique',
      'conditionallyUnique',
      'enumValues',
      'reads',
      'references',
      'sideEffects',
      'readOnly',
    ]),
    relationships: entries(relationships),
    computedFields: entries(computedFields),
  });
}

/** How the header of a table's files names it: `default · public.article`. */
export function placeOf(shape: TableShape): string {
  return `${shape.source.name} · ${shape.schema}.${shape.name}`;
}

/** The named properties that a shape has, as they are printed. */
export function properties<Shape extends object>(
  shape: Shape,
  names: readonly (keyof Shape & string)[],
): Property[] {
  return names.flatMap((name) =>
    shape[name] === undefined ? [] : [{ name, value: inlineLiteral(shape[name]) }],
  );
}

/** Entries of a record, one a line, in the record's order. */
export function entries(record: Readonly<Record<string, unknown>>): Property[] {
  return Object.entries(record).map(([name, value]) => ({ name, value: inlineLiteral(value) }));
}
