// default · public.local_author · access
import { access } from "engine/contract";
import { localAuthor } from "./local_author.table.ts";

export const localAuthorAccess = access(localAuthor, {
});
