import { object, optional, requiredList } from '../../metadata/combinators.ts';
import { jsonObject, name, oneOf } from '../../metadata/values.ts';
import { type InsertArguments, insert } from '../data/write.ts';
import { tableArguments } from '../request/arguments.ts';
import { dataOperation, names } from '../request/data-operation.ts';
import { columnItems } from '../request/row-arguments.ts';

export default dataOperation<InsertArguments>({
  name: 'insert',
  documentation:
    'Inserts rows into a tracked table as the role may. Columns that an object leaves out get their defaults; rows that ' +
    'exist already are left alone or updated, as `on_conflict` says.',
  arguments: object({
    ...tableArguments,
    objects: requiredList(jsonObject),
    on_conflict: optional(
      object({
        action: oneOf('ignore', 'update'),
        constraint: optional(name),
        constraint_on: optional(names),
      }),
    ),
    returning: optional(columnItems),
  }),
  run: insert,
});
