import { object, optional } from '../../metadata/combinators.ts';
import { oneOf } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { optionally, without, withTable } from '../edit.ts';
import { tableObject, unquoted } from '../names.ts';
import { warnNotServed } from '../not-served.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'set_apollo_federation_config',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Makes a table part of a federated graph; without `apollo_federation_config` no longer.',
  arguments: object({
    ...tableArguments,
    apollo_federation_config: optional(object({ enable: oneOf('v1') })),
  }),
  policy: 'target',
  targets: ({ source, table }) => [tableObject(source, table)],
  changesMetadata: true,
  run: ({ source, table, apollo_federation_config }, copy) => {
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...without(entry, 'apollo_federation_config'),
      ...optionally('apollo_federation_config', apollo_federation_config),
    }));
    if (apollo_federation_config !== undefined) {
      warnNotServed(copy, 'table', unquoted(table), 'Federation settings');
    }
    return SUCCESS;
  },
});
