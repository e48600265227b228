// default · public.member · access
import { access } from "engine/contract";
import { member } from "./member.table.ts";

export const memberAccess = access(member, {
});
