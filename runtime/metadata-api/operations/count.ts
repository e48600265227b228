import { type CountArguments, count } from '../../legacy/select.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { jsonObject } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { dataOperation, names } from '../data-operation.ts';

export default dataOperation<CountArguments>({
  name: 'count',
  documentation:
    'Counts the rows of a tracked table that the role may see, with `distinct` the different values of columns.',
  arguments: object({
    ...tableArguments,
    where: optional(jsonObject),
    distinct: optional(names),
  }),
  run: count,
});
