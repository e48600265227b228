import { EngineError } from '../../core/errors.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';
import { flag, nameSchema, object } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { refuseDependents } from '../dependents.ts';
import { findTable, withTable } from '../edit.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly name: string;
  readonly cascade: boolean;
}

export default operation<Arguments>({
  name: 'drop_computed_field',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a computed field. Permissions that use it are refused, or dropped with `cascade`.',
  arguments: object<Arguments>({ ...tableArguments, name: nameSchema, cascade: flag }),
  policy: 'others',
  changesMetadata: true,
  run: ({ source, table, name, cascade }, copy) => {
    const entry = findTable(copy.metadata, source, table, '$.table');
    if (!entry.computed_fields.some((field) => field.name === name)) {
      throw new EngineError('not-exists', `computed field "${name}" does not exist`, { path: '$.name' });
    }
    refuseDependents(copy, { kind: 'computed_field', source, table, name }, cascade);
    copy.metadata = withTable(copy.metadata, source, table, (found) => ({
      ...found,
      computed_fields: found.computed_fields.filter((field) => field.name !== name),
    }));
    return SUCCESS;
  },
});
