import { EngineError } from '../../core/errors.ts';
import type { Json, Source, SourceConfiguration, SourceCustomization } from '../../metadata/metadata.ts';
import { flag, json, nameSchema, object, optional } from '../../metadata/schemas/shared.ts';
import { sourceConfigurationSchema, sourceCustomizationSchema } from '../../metadata/schemas/source.ts';
import { requireAllowedFiles } from '../allowed-files.ts';
import { NO_PATH, optionally, withSource } from '../edit.ts';
import { sourceObject } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly name: string;
  readonly configuration: SourceConfiguration;
  readonly replace_configuration: boolean;
  readonly customization?: SourceCustomization;
  readonly health_check?: Json;
}

export default operation<Arguments>({
  name: 'add_source',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation:
    'Adds a database and connects to it at once. With `replace_configuration` an existing source gets the new ' +
    'configuration and keeps its tables.',
  arguments: object<Arguments>({
    name: nameSchema,
    configuration: sourceConfigurationSchema,
    replace_configuration: flag,
    customization: optional(sourceCustomizationSchema),
    health_check: optional(json),
  }),
  policy: 'target',
  targets: ({ name }) => [sourceObject(name)],
  changesMetadata: true,
  run: ({ name, configuration, replace_configuration, customization, health_check }, copy) => {
    requireAllowedFiles(configuration, copy);
    const given = {
      configuration,
      ...optionally('customization', customization),
      ...optionally('health_check', health_check),
    };
    const exists = copy.metadata.sources.some((source) => source.name === name);
    if (exists && !replace_configuration) {
      throw new EngineError('already-exists', `source with name "${name}" already exists`);
    }
    const added: Source = { ...NO_PATH, name, kind: 'postgres', tables: [], functions: [], ...given };
    copy.metadata = exists
      ? withSource(copy.metadata, name, (source) => ({ ...source, ...given }))
      : { ...copy.metadata, sources: [...copy.metadata.sources, added] };
    copy.reintrospect([name]);
    return SUCCESS;
  },
});
