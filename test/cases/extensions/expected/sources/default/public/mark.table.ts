// default · public.mark · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const mark = table(source, {
  schema: "public",
  name: "mark",
  kind: "table",
  graphqlName: "mark",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "mark_pkey", columns: ["id"] },
}, {
  query: { my_mark: "select", my_mark_by_pk: "select_by_pk", my_mark_aggregate: "select_aggregate" },
  subscription: { my_mark_stream: "select_stream" },
  mutation: {
    my_insert_mark: "insert",
    my_insert_mark_one: "insert_one",
    my_update_mark: "update",
    my_update_mark_by_pk: "update_by_pk",
    my_update_mark_many: "update_many",
    my_delete_mark: "delete",
    my_delete_mark_by_pk: "delete_by_pk",
  },
});

export type Mark = Row<typeof mark>;
export type MarkWhere = Where<typeof mark>;
