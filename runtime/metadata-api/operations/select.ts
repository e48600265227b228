import { type SelectArguments, select } from '../../legacy/select.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { tableArguments } from '../arguments.ts';
import { anyJson, dataOperation } from '../data-operation.ts';

export default dataOperation<SelectArguments>({
  name: 'select',
  documentation: 'Reads rows of a tracked table, with those of relationships, as the role may see them.',
  arguments: object({
    ...tableArguments,
    columns: anyJson,
    where: optional(anyJson),
    order_by: optional(anyJson),
    limit: optional(anyJson),
    offset: optional(anyJson),
  }),
  run: select,
});
