// my db · functions.access · access
import { access } from "engine/contract";
import { functionsAccess } from "./access.table.ts";

export const functionsAccessAccess = access(functionsAccess, {
});
