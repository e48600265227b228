import { object } from '../../metadata/combinators.ts';
import { functionConfiguration } from '../../metadata/kinds/function.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import { withFunction } from '../change/edit.ts';
import { sourceArgument } from '../request/arguments.ts';
import { functionObject } from '../request/names.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'set_function_customization',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Replaces the configuration of a tracked function.',
  arguments: object({
    function: qualifiedName,
    source: sourceArgument,
    configuration: functionConfiguration,
  }),
  policy: 'target',
  targets: ({ source, function: name }) => [functionObject(source, name)],
  changesMetadata: true,
  run: ({ function: name, source, configuration }, copy) => {
    copy.metadata = withFunction(copy.metadata, source, name, (entry) => ({ ...entry, configuration }));
    return SUCCESS;
  },
});
