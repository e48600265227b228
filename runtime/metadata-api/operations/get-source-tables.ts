import { introspectDatabase } from '../../catalog/index.ts';
import { nameSchema, object } from '../../metadata/schemas/shared.ts';
import { METADATA, operation } from '../operation.ts';

interface Arguments {
  readonly source: string;
}

export default operation<Arguments>({
  name: 'get_source_tables',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'All tables and views of a database, tracked or not.',
  arguments: object<Arguments>({ source: nameSchema }),
  changesMetadata: false,
  run: async ({ source }, copy) => {
    const { tables } = await introspectDatabase(copy.database(source).query);
    return tables.map(({ schema, name }) => ({ schema, name }));
  },
});
