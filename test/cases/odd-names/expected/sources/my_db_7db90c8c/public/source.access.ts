// my db · public.source · access
import { access } from "engine/contract";
import { source_ } from "./source.table.ts";

export const source_Access = access(source_, {
});
