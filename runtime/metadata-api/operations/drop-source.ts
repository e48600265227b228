import { object, withDefault } from '../../metadata/combinators.ts';
import { boolean, name } from '../../metadata/values.ts';
import { refuseDependents } from '../change/dependents.ts';
import { findSource } from '../change/edit.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'drop_source',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation:
    'Forgets a database with everything declared in it. Remote relationships that point there are refused, or dropped ' +
    'with `cascade`.',
  arguments: object({ name, cascade: withDefault(boolean, false) }),
  policy: 'target',
  changesMetadata: true,
  run: ({ name, cascade }, copy) => {
    findSource(copy.metadata, name);
    refuseDependents(copy, { kind: 'source', source: name }, cascade);
    copy.metadata = {
      ...copy.metadata,
      sources: copy.metadata.sources.filter((source) => source.name !== name),
    };
    return SUCCESS;
  },
});
