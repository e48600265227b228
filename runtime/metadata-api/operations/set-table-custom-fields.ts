import { validate } from '../../metadata/codec.ts';
import { argument, object, optional } from '../../metadata/combinators.ts';
import { tableConfiguration } from '../../metadata/kinds/table.ts';
import { json } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { operation, SUCCESS } from '../operation.ts';

/** The older form has the parts of the configuration beside the table. */
const argumentsSchema = argument(
  object({ ...tableArguments, custom_root_fields: optional(json), custom_column_names: optional(json) }),
  ({ table, source, ...parts }, fail) => {
    const { value, problems } = validate(tableConfiguration, parts);
    for (const { message, path } of problems) fail(message, [...path]);
    return { table, source, configuration: value ?? { column_config: {}, custom_root_fields: {} } };
  },
);

export default operation({
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
