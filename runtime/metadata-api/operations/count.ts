import { object, optional } from '../../metadata/combinators.ts';
import { jsonObject } from '../../metadata/values.ts';
import { type CountArguments, count } from '../data/select.ts';
import { tableArguments } from '../request/arguments.ts';
import { dataOperation, names } from '../request/data-operation.ts';

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
