// default · public.item · access
import { access } from "engine/contract";
import { item } from "./item.table.ts";

export const itemAccess = access(item, {
  select: {
    user: {
      columns: ["id", "word"],
      computedFields: ["loud"],
      where: `
        exists (
          select 1
          from "public"."app" as "_r1"
          where "_r1"."id" = {row}."app_id" and "_r1"."owner" = {session.x-engine-user-id::text}
        )
      `,
      implies: { app: "946f49855c43652f49a0d7aa4dc09e8e" },
    },
  },
});
