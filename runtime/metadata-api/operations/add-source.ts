import { EngineError } from '../../core/errors.ts';
import { object, optional, withDefault } from '../../metadata/combinators.ts';
import { healthCheck, sourceConfiguration, sourceCustomization } from '../../metadata/kinds/source.ts';
import { EMPTY_SOURCE, type Source } from '../../metadata/metadata.ts';
import { boolean, name } from '../../metadata/values.ts';
import { requireAllowedFiles } from '../change/allowed-files.ts';
import { NO_PATH, optionally, withSource } from '../change/edit.ts';
import { sourceObject } from '../request/names.ts';
import { METADATA, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'add_source',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation:
    'Adds a database and connects to it at once. With `replace_configuration` an existing source gets the new ' +
    'configuration and keeps its tables.',
  arguments: object({
    name,
    configuration: sourceConfiguration,
    replace_configuration: withDefault(boolean, false),
    customization: optional(sourceCustomization),
    health_check: optional(healthCheck),
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
    const added: Source = { ...NO_PATH, name, kind: 'postgres', ...EMPTY_SOURCE, ...given };
    copy.metadata = exists
      ? withSource(copy.metadata, name, (source) => ({ ...source, ...given }))
      : { ...copy.metadata, sources: [...copy.metadata.sources, added] };
    copy.reintrospect([name]);
    return SUCCESS;
  },
});
