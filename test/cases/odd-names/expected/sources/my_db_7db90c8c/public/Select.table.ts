// my db · public.Select · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const select = table(source, {
  schema: "public",
  name: "Select",
  kind: "table",
  graphqlName: "Select",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "Select_pkey", columns: ["id"] },
}, {
  query: { Select: "select", Select_by_pk: "select_by_pk", Select_aggregate: "select_aggregate" },
  subscription: { Select_stream: "select_stream" },
  mutation: {
    insert_Select: "insert",
    insert_Select_one: "insert_one",
    update_Select: "update",
    update_Select_by_pk: "update_by_pk",
    update_Select_many: "update_many",
    delete_Select: "delete",
    delete_Select_by_pk: "delete_by_pk",
  },
});

export type Select = Row<typeof select>;
export type SelectWhere = Where<typeof select>;
