// default · public.plan · access
import { access } from "engine/contract";
import { plan } from "./plan.table.ts";

export const planAccess = access(plan, {
});
