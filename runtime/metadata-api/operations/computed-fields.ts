import { EngineError } from '../../core/errors.ts';
import { object, withDefault } from '../../metadata/combinators.ts';
import { computedField } from '../../metadata/kinds/table.ts';
import { boolean, name } from '../../metadata/values.ts';
import { refuseDependents } from '../change/dependents.ts';
import { refuseTakenField } from '../change/table-fields.ts';
import { tableArguments } from '../request/arguments.ts';
import { listOperations, tableList } from '../request/list-operations.ts';
import { tablePart } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const { create, drop } = listOperations(
  tableList('computed_fields', 'name', '$.table'),
  { spelling: 'prefixed', endpoints: METADATA_AND_LEGACY },
  (field, { source, table }) => [tablePart('computed_field', field, source, table)],
);

export const computedFieldOperations: readonly MetadataOperation[] = [
  create({
    name: 'add_computed_field',
    documentation: 'Adds a field whose value a function computes from the row.',
    arguments: object({ ...tableArguments, ...computedField.fields }),
    before: (args, copy) => refuseTakenField(copy.metadata, args, '$.table'),
  }),
  drop({
    name: 'drop_computed_field',
    documentation: 'Drops a computed field. Permissions that use it are refused, or dropped with `cascade`.',
    arguments: object({ ...tableArguments, name, cascade: withDefault(boolean, false) }),
    missing: (args) =>
      new EngineError('not-exists', `computed field "${args.name}" does not exist`, { path: '$.name' }),
    after: ({ source, table, name: field, cascade }, copy) =>
      refuseDependents(copy, { kind: 'computed_field', source, table, name: field }, cascade),
  }),
];
