import { object, optional } from '../../metadata/combinators.ts';
import { jsonObject } from '../../metadata/values.ts';
import { type DeleteArguments, remove } from '../data/write.ts';
import { tableArguments } from '../request/arguments.ts';
import { dataOperation } from '../request/data-operation.ts';
import { columnItems } from '../request/row-arguments.ts';

export default dataOperation<DeleteArguments>({
  name: 'delete',
  documentation: 'Deletes the rows of a tracked table that the role may delete.',
  arguments: object({
    ...tableArguments,
    where: jsonObject,
    returning: optional(columnItems),
  }),
  run: remove,
});
