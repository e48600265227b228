import { nameSchema, object } from '../../../compiler/phases/1-read/schemas/shared.ts';
import { introspectDatabase } from '../../../compiler/phases/2-introspect/index.ts';
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
