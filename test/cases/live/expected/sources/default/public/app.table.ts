// default · public.app · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const app = table(source, {
  schema: "public",
  name: "app",
  kind: "table",
  graphqlName: "app",
  columns: {
    id: { type: "int4", notNull: true },
    owner: { type: "text", notNull: true },
  },
  relationships: {
    items: { kind: "array", target: "public.item", columns: { id: "app_id" } },
  },
  primaryKey: { name: "app_pkey", columns: ["id"] },
}, {
  query: { app: "select", app_by_pk: "select_by_pk", app_aggregate: "select_aggregate" },
  subscription: { app_stream: "select_stream" },
  mutation: {
    insert_app: "insert",
    insert_app_one: "insert_one",
    update_app: "update",
    update_app_by_pk: "update_by_pk",
    update_app_many: "update_many",
    delete_app: "delete",
    delete_app_by_pk: "delete_by_pk",
  },
});

export type App = Row<typeof app>;
export type AppWhere = Where<typeof app>;
