// default · public.status · access
import { access } from "engine/contract";
import { status } from "./status.table.ts";

export const statusAccess = access(status, {
});
