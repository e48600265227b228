// default · public.sale · access
import { access, EVERY_ROW } from "engine/contract";
import { sale } from "./sale.table.ts";

export const saleAccess = access(sale, {
  select: {
    analyst: {
      columns: ["id", "stage", "amount"],
      where: EVERY_ROW,
      limit: 5,
      aggregations: true,
    },
    clerk: {
      columns: ["id", "stage", "note"],
      where: EVERY_ROW,
    },
    lister: {
      columns: ["id", "stage"],
      where: EVERY_ROW,
      aggregations: true,
      queryRoots: ["select"],
    },
  },
});
