// default · public.sale · access
import { access } from "engine/contract";
import { sale } from "./sale.table.ts";

export const saleAccess = access(sale, {
  select: {
    clerk: {
      columns: ["id"],
      where: `{row}."region" = {session.x-engine-region::text}`,
    },
  },
});
