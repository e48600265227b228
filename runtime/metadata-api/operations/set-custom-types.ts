import { customTypesArguments } from '../../metadata/kinds/custom-types.ts';
import { NO_PATH } from '../change/edit.ts';
import { globalObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export default operation({
  name: 'set_custom_types',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Replaces all custom types, which actions use.',
  arguments: customTypesArguments,
  policy: 'target',
  targets: () => [globalObject('custom_types', 'custom_types')],
  changesMetadata: true,
  run: ({ input_objects, objects, scalars, enums }, copy) => {
    const placed = <Type extends object>(types: readonly Type[]) =>
      types.map((type) => ({ ...NO_PATH, ...type }));
    copy.metadata = {
      ...copy.metadata,
      custom_types: {
        ...NO_PATH,
        input_objects: placed(input_objects),
        objects: placed(objects),
        scalars: placed(scalars),
        enums: placed(enums),
      },
    };
    return SUCCESS;
  },
});
