import { EngineError } from '../../core/errors.ts';
import { object, withDefault } from '../../metadata/combinators.ts';
import { boolean, name } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { refuseDependents } from '../dependents.ts';
import { findTable, withTable } from '../edit.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'drop_computed_field',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a computed field. Permissions that use it are refused, or dropped with `cascade`.',
  arguments: object({ ...tableArguments, name, cascade: withDefault(boolean, false) }),
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
