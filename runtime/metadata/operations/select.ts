import type { Json, JsonObject, QualifiedName } from '../../../compiler/model/metadata.ts';
import {
  integer,
  json,
  jsonObject,
  object,
  optional,
  requiredList,
} from '../../../compiler/phases/1-read/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { readableTable, type SelectArguments, selectRequest } from '../data/select.ts';
import { operation } from '../operation.ts';

interface Arguments extends SelectArguments {
  readonly table: QualifiedName;
  readonly source: string;
}

export default operation<Arguments>({
  name: 'select',
  spelling: 'bare',
  endpoints: ['/v1/query', '/v2/query'],
  documentation: 'Reads rows of a tracked table, with those of relationships, as the role may see them.',
  arguments: object<Arguments>({
    ...tableArguments,
    columns: requiredList<Json>(json),
    where: optional<JsonObject>(jsonObject),
    order_by: optional<Json>(json),
    limit: optional(integer),
    offset: optional(integer),
  }),
  changesMetadata: false,
  anyRole: true,
  run: async ({ table, source, ...args }, copy, { session }) => {
    const { program, execute } = await copy.program();
    const { view } = readableTable(program, session, source, table);
    const { request, rows } = selectRequest(view, args, session);
    return rows(await execute(request, session));
  },
});
