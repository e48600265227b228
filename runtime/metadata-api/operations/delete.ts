import { type DeleteArguments, remove } from '../../legacy/write.ts';
import { jsonObject, object, optional } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { anyJson, dataOperation } from '../data-operation.ts';

export default dataOperation<DeleteArguments>({
  name: 'delete',
  documentation: 'Deletes the rows of a tracked table that the role may delete.',
  arguments: object<DeleteArguments>({
    ...tableArguments,
    where: jsonObject,
    returning: optional(anyJson),
  }),
  run: remove,
});
