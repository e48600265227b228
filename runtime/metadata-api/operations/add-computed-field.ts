import { EngineError } from '../../core/errors.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { computedFieldDefinition } from '../../metadata/kinds/table.ts';
import { name, text } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

export default operation({
  name: 'add_computed_field',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Adds a field whose value a function computes from the row.',
  arguments: object({
    ...tableArguments,
    name,
    definition: computedFieldDefinition,
    comment: optional(text),
  }),
  policy: 'target',
  targets: ({ source, table, name }) => [tablePart('computed_field', name, source, table)],
  changesMetadata: true,
  run: ({ source, table, name, definition, comment }, copy) => {
    if (fieldNames(findTable(copy.metadata, source, table, '$.table')).has(name)) {
      throw new EngineError(
        'already-exists',
        `field with name "${name}" already exists in table ${quoted(table)}`,
      );
    }
    const added = { ...NO_PATH, name, definition, ...optionally('comment', comment) };
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      computed_fields: [...entry.computed_fields, added],
    }));
    return SUCCESS;
  },
});
