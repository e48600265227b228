// default · public.tag · access
import { access } from "engine/contract";
import { tag } from "./tag.table.ts";

export const tagAccess = access(tag, {
});
