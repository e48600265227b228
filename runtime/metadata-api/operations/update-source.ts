import { object, optional } from '../../metadata/combinators.ts';
import { sourceConfiguration, sourceCustomization } from '../../metadata/kinds/source.ts';
import { name } from '../../metadata/values.ts';
import { requireAllowedFiles } from '../change/allowed-files.ts';
import { optionally, withSource } from '../change/edit.ts';
import { sourceObject } from '../request/names.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'update_source',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Changes the configuration or the customization of a source; what is not given stays.',
  arguments: object({
    name,
    configuration: optional(sourceConfiguration),
    customization: optional(sourceCustomization),
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
