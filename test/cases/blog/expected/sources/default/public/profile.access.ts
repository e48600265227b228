// default · public.profile · access
import { access, EVERY_ROW } from "engine/contract";
import { profile } from "./profile.table.ts";

export const profileAccess = access(profile, {
  select: {
    reader: {
      columns: ["author_id", "bio"],
      where: EVERY_ROW,
    },
    user: {
      columns: ["author_id", "bio"],
      where: EVERY_ROW,
    },
  },
});
