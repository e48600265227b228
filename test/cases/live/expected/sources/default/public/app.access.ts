// default · public.app · access
import { access } from "engine/contract";
import { app } from "./app.table.ts";

export const appAccess = access(app, {
  select: {
    user: {
      columns: ["id", "owner"],
      where: `{row}."owner" = {session.x-engine-user-id::text}`,
      implies: { items: "56ae983315286c1b634e4dc782e126b3" },
    },
  },
});
