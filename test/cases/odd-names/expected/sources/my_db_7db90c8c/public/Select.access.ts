// my db · public.Select · access
import { access } from "engine/contract";
import { select } from "./Select.table.ts";

export const selectAccess = access(select, {
});
