import { object, optional } from '../../metadata/combinators.ts';
import { jsonObject } from '../../metadata/values.ts';
import { type UpdateArguments, update } from '../data/write.ts';
import { tableArguments } from '../request/arguments.ts';
import { dataOperation, names } from '../request/data-operation.ts';
import { columnItems } from '../request/row-arguments.ts';

interface Arguments extends UpdateArguments {
  /** Another name of `$set`. */
  readonly values?: UpdateArguments['$set'];
}

export default dataOperation<Arguments>({
  name: 'update',
  documentation:
    'Updates the rows of a tracked table that the role may update: sets columns, adds to them, multiplies them, or gives ' +
    'them their defaults.',
  arguments: object({
    ...tableArguments,
    where: jsonObject,
    $set: optional(jsonObject),
    values: optional(jsonObject),
    $inc: optional(jsonObject),
    $mul: optional(jsonObject),
    $default: optional(names),
    returning: optional(columnItems),
  }),
  run: ({ values, ...args }, request) => update({ ...args, $set: args.$set ?? values }, request),
});
