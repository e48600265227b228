import { object } from '../../metadata/combinators.ts';
import { queryTags } from '../../metadata/kinds/source.ts';
import { name } from '../../metadata/values.ts';
import { withSource } from '../change/edit.ts';
import { sourceObject } from '../request/names.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'set_query_tags',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Sets how the SQL of requests to a source is tagged, as a whole.',
  arguments: object({ source_name: name, ...queryTags.fields }),
  policy: 'target',
  targets: ({ source_name: source }) => [sourceObject(source)],
  changesMetadata: true,
  run: ({ source_name, ...query_tags }, copy) => {
    copy.metadata = withSource(copy.metadata, source_name, (source) => ({ ...source, query_tags }));
    return SUCCESS;
  },
});
