import type { SourceConfiguration, SourceCustomization } from '../../metadata/metadata.ts';
import { nameSchema, object, optional } from '../../metadata/schemas/shared.ts';
import { sourceConfigurationSchema, sourceCustomizationSchema } from '../../metadata/schemas/source.ts';
import { requireAllowedFiles } from '../allowed-files.ts';
import { optionally, withSource } from '../edit.ts';
import { sourceObject } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

interface Arguments {
  readonly name: string;
  readonly configuration?: SourceConfiguration;
  readonly customization?: SourceCustomization;
}

export default operation<Arguments>({
  name: 'update_source',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Changes the configuration or the customization of a source; what is not given stays.',
  arguments: object<Arguments>({
    name: nameSchema,
    configuration: optional(sourceConfigurationSchema),
    customization: optional(sourceCustomizationSchema),
  }),
  policy: 'target',
  targets: ({ name }) => [sourceObject(name)],
  changesMetadata: true,
  run: ({ name, configuration, customization }, copy) => {
    if (configuration !== undefined) requireAllowedFiles(configuration, copy);
    copy.metadata = withSource(copy.metadata, name, (source) => ({
      ...source,
      ...optionally('configuration', configuration),
      ...optionally('customization', customization),
    }));
    return SUCCESS;
  },
});
