import type { QualifiedName } from '../../metadata/metadata.ts';
import { boolean, object } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { withTable } from '../edit.ts';
import { tableObject } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly is_enum: boolean;
}

export default operation<Arguments>({
  name: 'set_table_is_enum',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Makes a table an enum table, whose rows become the values of a GraphQL enum, or an ordinary one again.',
  arguments: object<Arguments>({ ...tableArguments, is_enum: boolean }),
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, is_enum }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, is_enum }));
    return SUCCESS;
  },
});
