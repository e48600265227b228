// default · public.author · access
import { access } from "engine/contract";
import { author } from "./author.table.ts";

export const authorAccess = access(author, {
});
