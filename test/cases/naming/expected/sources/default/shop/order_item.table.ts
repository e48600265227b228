// default · shop.order_item · shape
import { table } from "engine/contract";
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
});
