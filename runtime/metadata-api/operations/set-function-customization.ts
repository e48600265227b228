import type { FunctionConfiguration, QualifiedName } from '../../metadata/metadata.ts';
import { object, qualifiedNameSchema } from '../../metadata/schemas/shared.ts';
import { functionConfigurationSchema } from '../../metadata/schemas/table.ts';
import { sourceArgument } from '../arguments.ts';
import { withFunction } from '../edit.ts';
import { functionObject } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly function: QualifiedName;
  readonly source: string;
  readonly configuration: FunctionConfiguration;
}

export default operation<Arguments>({
  name: 'set_function_customization',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Replaces the configuration of a tracked function.',
  arguments: object<Arguments>({
    function: qualifiedNameSchema,
    source: sourceArgument,
    configuration: functionConfigurationSchema,
  }),
  policy: 'target',
  targets: ({ source, function: name }) => [functionObject(source, name)],
  changesMetadata: true,
  run: ({ function: name, source, configuration }, copy) => {
    copy.metadata = withFunction(copy.metadata, source, name, (entry) => ({ ...entry, configuration }));
    return SUCCESS;
  },
});
