import { introspectDatabase } from '../../catalog/index.ts';
import { object } from '../../metadata/combinators.ts';
import { name } from '../../metadata/values.ts';
import { METADATA, operation } from '../request/operation.ts';

export default operation({
  name: 'get_source_tables',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'All tables and views of a database, tracked or not.',
  arguments: object({ source: name }),
  changesMetadata: false,
  run: async ({ source }, copy) => {
    const { tables } = await introspectDatabase(copy.database(source).query);
    return tables.map(({ schema, name }) => ({ schema, name }));
  },
});
