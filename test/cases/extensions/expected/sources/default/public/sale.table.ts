// default · public.sale · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const sale = table(source, {
  schema: "public",
  name: "sale",
  kind: "table",
  graphqlName: "sale",
  columns: {
    id: { type: "int4", notNull: true },
    shop_id: { type: "int4", notNull: true },
    stage: { type: "text", notNull: true },
    amount: { type: "numeric", notNull: true },
    note: { type: "json" },
  },
  relationships: {
    shop: { kind: "object", target: "public.shop", columns: { shop_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "sale_pkey", columns: ["id"] },
}, {
  query: {
    my_sale: "select",
    my_sale_by_pk: "select_by_pk",
    my_sale_aggregate: "select_aggregate",
    my_sale_group_by: "select_group_by",
  },
  subscription: { my_sale_stream: "select_stream" },
  mutation: {
    my_insert_sale: "insert",
    my_insert_sale_one: "insert_one",
    my_update_sale: "update",
    my_update_sale_by_pk: "update_by_pk",
    my_update_sale_many: "update_many",
    my_delete_sale: "delete",
    my_delete_sale_by_pk: "delete_by_pk",
  },
});

export type Sale = Row<typeof sale>;
export type SaleWhere = Where<typeof sale>;
