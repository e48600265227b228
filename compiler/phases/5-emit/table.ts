/** `<table>.table.ts`: the shape of a table and its root fields, the same for every role. */

import type { DeclaredTable, TableShape } from '../../../runtime/core/contract/shapes.ts';
import { fullName } from '../../../runtime/core/names.ts';
import { fieldEntries } from '../../../runtime/core/program/root-fields.ts';
import { standardFields } from '../../../runtime/core/program/standard-fields.ts';
import type { FileNames } from './names.ts';
import {
  holdsExactNumber,
  type Property,
  printLiteral,
  stringLiteral,
  type TableContext,
  templates,
} from './templates.ts';

/** Text of a table's file. */
export function emitTable(table: DeclaredTable, names: FileNames): string {
  return templates.table({
    place: placeOf(table),
    sourceImport: '../source.ts',
    exact: holdsExactNumber(table.remoteRelationships),
    identifier: names.identifier,
    type: typeName(names.identifier),
    head: properties(table, ['schema', 'name', 'kind', 'graphqlName', 'customName', 'description']),
    groups: (['columns', 'relationships', 'computedFields', 'remoteRelationships'] as const).flatMap(
      (name) => {
        const group = table[name];
        return group ? [{ name, entries: entries(group, 2) }] : [];
      },
    ),
    tail: properties(table, [
      'primaryKey',
      'federated',
      'unique',
      'conditionallyUnique',
      'notInferable',
      'unprovenKeys',
      'enumValues',
      'ordered',
      'below',
      'bodyHash',
      'calls',
      'references',
      'sharesRows',
      'sideEffects',
      'triggers',
      'onDelete',
      'onUpdate',
      'readOnly',
    ]),
    ...rootFields(table),
  });
}

/** A call, or a list where fields have names, descriptions or resolvers of their own, or some are not there. */
function rootFields({
  fields,
  source: { naming },
}: DeclaredTable): Pick<TableContext, 'standard' | 'sections'> {
  const [base] = fieldEntries(fields.query).find(([, { field }]) => field === 'select') ?? [];
  const isStandard =
    base !== undefined && JSON.stringify(standardFields(base, naming)) === JSON.stringify(fields);
  if (!isStandard) return { standard: '', sections: sections(fields, 1) };
  const values = naming === undefined ? [base] : [base, naming];
  return { standard: values.map(stringLiteral).join(', '), sections: [] };
}

/** Name of the type of a table's rows: `ticket` → `Ticket`. */
function typeName(identifier: string): string {
  const name = identifier.charAt(0).toUpperCase() + identifier.slice(1);
  // Imported names stay as they are.
  return name === 'Row' || name === 'Where' ? `${name}_` : name;
}

/** How the header of a table's files names it: `default · public.article`. */
export function placeOf(shape: TableShape): string {
  return `${shape.source.name} · ${fullName('table', shape)}`;
}

/** Root fields by section, printed. */
export function sections(fields: object, depth: number): Property[] {
  return Object.entries(fields).map(([name, section]) => {
    const all = fieldEntries(section as Record<string, { readonly field: string }>).map(
      ([field, entry]) => [field, Object.keys(entry).length === 1 ? entry.field : entry] as const,
    );
    return { name, value: printLiteral(Object.fromEntries(all), depth) };
  });
}

/** The named properties that a shape has, as they are printed. */
export function properties<Shape extends object>(
  shape: Shape,
  names: readonly (keyof Shape & string)[],
): Property[] {
  return names.flatMap((name) =>
    shape[name] === undefined ? [] : [{ name, value: printLiteral(shape[name], 1) }],
  );
}

/** Entries of a record in the record's order; `depth` is the indentation of its entries. */
export function entries(record: Readonly<Record<string, unknown>>, depth: number): Property[] {
  return Object.entries(record).map(([name, value]) => ({ name, value: printLiteral(value, depth) }));
}
