import type { QualifiedName, TableConfiguration } from '../../metadata/metadata.ts';
import { object } from '../../metadata/schemas/shared.ts';
import { tableConfigurationSchema } from '../../metadata/schemas/table.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly configuration: TableConfiguration;
}

export default operation<Arguments>({
  name: 'set_table_customization',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Replaces the custom names and comments of a table, its columns and root fields.',
  arguments: object<Arguments>({ ...tableArguments, configuration: tableConfigurationSchema }),
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, configuration }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, configuration }));
    return SUCCESS;
  },
});
