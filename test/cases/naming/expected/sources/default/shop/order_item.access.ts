// default · shop.order_item · access
import { access, EVERY_ROW } from "engine/contract";
import { shopOrderItem } from "./order_item.table.ts";

export const shopOrderItemAccess = access(shopOrderItem, {
  select: {
    user: {
      columns: ["id", "unit_price", "PartNo"],
      where: EVERY_ROW,
      aggregations: true,
    },
  },
});
