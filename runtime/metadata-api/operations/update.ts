import { type UpdateArguments, update } from '../../legacy/write.ts';
import { jsonObject, object, optional } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { anyJson, dataOperation, names } from '../data-operation.ts';

interface Arguments extends UpdateArguments {
  /** Another name of `$set`. */
  readonly values?: UpdateArguments['$set'];
}

export default dataOperation<Arguments>({
  name: 'update',
  documentation:
    'Updates the rows of a tracked table that the role may update: sets columns, adds to them, multiplies them, or gives ' +
    'them their defaults.',
  arguments: object<Arguments>({
    ...tableArguments,
    where: jsonObject,
    $set: optional(jsonObject),
    values: optional(jsonObject),
    $inc: optional(jsonObject),
    $mul: optional(jsonObject),
    $default: optional(names),
    returning: optional(anyJson),
  }),
  run: ({ values, ...args }, session, execution) =>
    update({ ...args, $set: args.$set ?? values }, session, execution),
});
