// default · public.busy_app · access
import { access } from "engine/contract";
import { busyApp } from "./busy_app.table.ts";

export const busyAppAccess = access(busyApp, {
  select: {
    user: {
      columns: ["id", "items"],
      where: `{row}."owner" = {session.x-engine-user-id::text}`,
    },
  },
});
