import type { QualifiedName, TableEntry } from '../../metadata/metadata.ts';
import { object, oneOf, optional } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { optionally, without, withTable } from '../edit.ts';
import { tableObject, unquoted } from '../names.ts';
import { warnNotServed } from '../not-served.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly apollo_federation_config?: NonNullable<TableEntry['apollo_federation_config']>;
}

export default operation<Arguments>({
  name: 'set_apollo_federation_config',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Makes a table part of a federated graph; without `apollo_federation_config` no longer.',
  arguments: object<Arguments>({
    ...tableArguments,
    apollo_federation_config: optional(object<{ enable: 'v1' }>({ enable: oneOf('v1') })),
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
