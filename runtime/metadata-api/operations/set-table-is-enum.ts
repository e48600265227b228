import { object } from '../../metadata/combinators.ts';
import { boolean } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'set_table_is_enum',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Makes a table an enum table, whose rows become the values of a GraphQL enum, or an ordinary one again.',
  arguments: object({ ...tableArguments, is_enum: boolean }),
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, is_enum }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, is_enum }));
    return SUCCESS;
  },
});
