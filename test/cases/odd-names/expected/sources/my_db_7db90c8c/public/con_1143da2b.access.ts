// my db · public.con · access
import { access } from "engine/contract";
import { con } from "./con_1143da2b.table.ts";

export const conAccess = access(con, {
});
