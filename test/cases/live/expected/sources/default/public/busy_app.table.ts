// default · public.busy_app · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const busyApp = table(source, {
  schema: "public",
  name: "busy_app",
  kind: "view",
  graphqlName: "busy_app",
  columns: {
    id: { type: "int4", origin: { table: "public.app", column: "id" } },
    owner: { type: "text", origin: { table: "public.app", column: "owner" } },
    items: { type: "int8", readOnly: true },
  },
  below: { reads: { "public.app": ["id", "owner"], "public.item": ["app_id"] } },
  bodyHash: "9798777802f248c43f1f3109c3b10703",
}, {
  query: { busy_app: "select", busy_app_aggregate: "select_aggregate" },
  subscription: { busy_app_stream: "select_stream" },
  mutation: {
    insert_busy_app: "insert",
    insert_busy_app_one: "insert_one",
    update_busy_app: "update",
    update_busy_app_many: "update_many",
    delete_busy_app: "delete",
  },
});

export type BusyApp = Row<typeof busyApp>;
export type BusyAppWhere = Where<typeof busyApp>;
