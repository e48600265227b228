// default · public.account · access
import { access, EVERY_ROW } from "engine/contract";
import { account } from "./account.table.ts";

export const accountAccess = access(account, {
  select: {
    user: {
      columns: ["id", "name"],
      where: EVERY_ROW,
    },
  },
});
