// default · logical model line_of_sale · access
import { access } from "engine/contract";
import { lineOfSale } from "./line_of_sale.table.ts";

export const lineOfSaleAccess = access(lineOfSale, {
  select: {
    clerk: {
      columns: ["product"],
      where: `{row}."price" < 100`,
    },
  },
});
