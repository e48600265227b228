// my db · public.select · access
import { access } from "engine/contract";
import { myDbSelect } from "./select_72f0f13e.table.ts";

export const myDbSelectAccess = access(myDbSelect, {
});
