// default · shop.order_item · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const shopOrderItem = table(source, {
  schema: "shop",
  name: "order_item",
  kind: "table",
  graphqlName: "shop_order_item",
  columns: {
    id: { type: "int4", notNull: true },
    unit_price: { type: "numeric", customField: true },
    PartNo: { type: "text" },
  },
  primaryKey: { name: "order_item_pkey", columns: ["id"] },
}, {
  query: {
    testAll_itemsQuery: { field: "select", description: "All of them" },
    testShopOrderItemByPkQuery: "select_by_pk",
    testShopOrderItemAggregateQuery: "select_aggregate",
  },
  subscription: { testShopOrderItemStreamQuery: "select_stream" },
  mutation: {
    testInsertShopOrderItemQuery: "insert",
    testInsertShopOrderItemOneQuery: "insert_one",
    testUpdateShopOrderItemQuery: "update",
    testUpdateShopOrderItemByPkQuery: "update_by_pk",
    testUpdateShopOrderItemManyQuery: "update_many",
    testRemove_itemsQuery: "delete",
    testDeleteShopOrderItemByPkQuery: "delete_by_pk",
  },
});

export type ShopOrderItem = Row<typeof shopOrderItem>;
export type ShopOrderItemWhere = Where<typeof shopOrderItem>;
