import { type ConflictArguments, type InsertArguments, insert } from '../../legacy/write.ts';
import {
  jsonObject,
  nameSchema,
  object,
  oneOf,
  optional,
  requiredList,
} from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { anyJson, dataOperation, names } from '../data-operation.ts';

export default dataOperation<InsertArguments>({
  name: 'insert',
  documentation:
    'Inserts rows into a tracked table as the role may. Columns that an object leaves out get their defaults; rows that ' +
    'exist already are left alone or updated, as `on_conflict` says.',
  arguments: object<InsertArguments>({
    ...tableArguments,
    objects: requiredList(jsonObject),
    on_conflict: optional(
      object<ConflictArguments>({
        action: oneOf('ignore', 'update'),
        constraint: optional(nameSchema),
        constraint_on: optional(names),
      }),
    ),
    returning: optional(anyJson),
  }),
  run: insert,
});
