import { type DeleteArguments, remove } from '../../legacy/write.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { jsonObject } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { dataOperation } from '../data-operation.ts';
import { columns } from '../row-arguments.ts';

export default dataOperation<DeleteArguments>({
  name: 'delete',
  documentation: 'Deletes the rows of a tracked table that the role may delete.',
  arguments: object({
    ...tableArguments,
    where: jsonObject,
    returning: optional(columns),
  }),
  run: remove,
});
