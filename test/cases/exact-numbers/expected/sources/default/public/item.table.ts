// default · public.item · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const item = table(source, {
  schema: "public",
  name: "item",
  kind: "table",
  graphqlName: "item",
  columns: {
    id: { type: "int8", notNull: true },
    amount: { type: "numeric" },
    weight: { type: "float8" },
    data: { type: "jsonb" },
  },
  primaryKey: { name: "item_pkey", columns: ["id"] },
}, {
  query: { item: "select", item_by_pk: "select_by_pk", item_aggregate: "select_aggregate" },
  subscription: { item_stream: "select_stream" },
  mutation: {
    insert_item: "insert",
    insert_item_one: "insert_one",
    update_item: "update",
    update_item_by_pk: "update_by_pk",
    update_item_many: "update_many",
    delete_item: "delete",
    delete_item_by_pk: "delete_by_pk",
  },
});

export type Item = Row<typeof item>;
export type ItemWhere = Where<typeof item>;
