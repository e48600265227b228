// default · public.shop · access
import { access, EVERY_ROW } from "engine/contract";
import { shop } from "./shop.table.ts";

export const shopAccess = access(shop, {
  select: {
    analyst: {
      columns: ["id", "name"],
      where: EVERY_ROW,
      aggregations: true,
    },
  },
});
