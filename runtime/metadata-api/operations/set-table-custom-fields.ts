import type { Json, QualifiedName, TableConfiguration } from '../../metadata/metadata.ts';
import { json, objectAs, optional } from '../../metadata/schemas/shared.ts';
import { tableConfigurationSchema } from '../../metadata/schemas/table.ts';
import { validate } from '../../metadata/validate.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly custom_root_fields?: Json;
  readonly custom_column_names?: Json;
}

interface NormalisedArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly configuration: TableConfiguration;
}

/** The older form has the parts of the configuration beside the table. */
const argumentsSchema = objectAs<Arguments, NormalisedArguments>(
  { ...tableArguments, custom_root_fields: optional(json), custom_column_names: optional(json) },
  ({ table, source, ...parts }, fail) => {
    const { value, problems } = validate(tableConfigurationSchema, parts);
    for (const { message, path } of problems) fail(message, [...path]);
    return { table, source, configuration: value ?? { column_config: {}, custom_root_fields: {} } };
  },
);

export default operation<NormalisedArguments>({
  name: 'set_table_custom_fields',
  spelling: 'bare',
  endpoints: ['/v1/query'],
  documentation:
    'Deprecated form of `set_table_customization`, with `custom_root_fields` and `custom_column_names` only.',
  arguments: argumentsSchema,
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, configuration }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, configuration }));
    return SUCCESS;
  },
});
