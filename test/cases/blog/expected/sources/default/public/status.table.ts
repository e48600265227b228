// default · public.status · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const status = table(source, {
  schema: "public",
  name: "status",
  kind: "table",
  graphqlName: "status",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text" },
  },
  primaryKey: { name: "status_pkey", columns: ["value"] },
  enumValues: { draft: "Not yet shown", published: "Shown to everybody" },
}, {
  query: { status: "select", status_by_pk: "select_by_pk", status_aggregate: "select_aggregate" },
  subscription: { status_stream: "select_stream" },
  mutation: {
    insert_status: "insert",
    insert_status_one: "insert_one",
    update_status: "update",
    update_status_by_pk: "update_by_pk",
    update_status_many: "update_many",
    delete_status: "delete",
    delete_status_by_pk: "delete_by_pk",
  },
});

export type Status = Row<typeof status>;
export type StatusWhere = Where<typeof status>;
