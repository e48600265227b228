import { object } from '../../metadata/combinators.ts';
import { tableConfiguration } from '../../metadata/kinds/table.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'set_table_customization',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Replaces the custom names and comments of a table, its columns and root fields.',
  arguments: object({ ...tableArguments, configuration: tableConfiguration }),
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, configuration }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, configuration }));
    return SUCCESS;
  },
});
