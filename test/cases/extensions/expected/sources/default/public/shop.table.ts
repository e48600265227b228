// default · public.shop · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const shop = table(source, {
  schema: "public",
  name: "shop",
  kind: "table",
  graphqlName: "store",
  customName: true,
  columns: {
    id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
  },
  relationships: {
    sales: { kind: "array", target: "public.sale", columns: { id: "shop_id" } },
  },
  primaryKey: { name: "shop_pkey", columns: ["id"] },
}, {
  query: {
    my_store: "select",
    my_store_by_pk: "select_by_pk",
    my_store_one: "select_by_pk",
    my_store_aggregate: "select_aggregate",
    my_store_group_by: "select_group_by",
  },
  subscription: { my_store_stream: "select_stream" },
  mutation: {
    my_insert_store: "insert",
    my_insert_store_one: "insert_one",
    my_update_store: "update",
    my_update_store_by_pk: "update_by_pk",
    my_update_store_many: "update_many",
    my_delete_store: "delete",
    my_delete_store_by_pk: "delete_by_pk",
  },
});

export type Shop = Row<typeof shop>;
export type ShopWhere = Where<typeof shop>;
