import { EngineError } from '../../core/errors.ts';
import type { ComputedFieldDefinition, QualifiedName } from '../../metadata/metadata.ts';
import { nameSchema, object, optional, text } from '../../metadata/schemas/shared.ts';
import { computedFieldDefinitionSchema } from '../../metadata/schemas/table.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly name: string;
  readonly definition: ComputedFieldDefinition;
  readonly comment?: string;
}

export default operation<Arguments>({
  name: 'add_computed_field',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Adds a field whose value a function computes from the row.',
  arguments: object<Arguments>({
    ...tableArguments,
    name: nameSchema,
    definition: computedFieldDefinitionSchema,
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
